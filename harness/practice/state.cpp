#include "practice/state.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "compile/hash.h"
#include "emulator/rewriter/lexer.h"
#include "support/files.h"
#include "support/paths.h"

namespace kata {
namespace {

using Json = nlohmann::json;

constexpr std::size_t texts_kept = 100;

std::string hash_of(const std::string& text) {
  return Hash().add(text).hex();
}

/// Layout and comments apart.
bool same_code(const std::string& a, const std::string& b) {
  return emulator::significant_tokens(a) == emulator::significant_tokens(b);
}

std::filesystem::path results_of(const std::string& operator_name) {
  return state_folder() / "results" / (operator_name + ".json");
}

/// [{"text": hash, "verdict": "pass"}, ...], the last check last; empty if unreadable.
Json read_results(const std::string& operator_name) {
  const std::optional<std::string> content = read_file(results_of(operator_name));
  Json results = Json::parse(content.value_or("[]"), nullptr, /*allow_exceptions=*/false);
  if (!results.is_array()) return Json::array();
  for (std::size_t i = results.size(); i-- > 0;) {
    const Json& entry = results[i];
    const bool sound = entry.is_object() && entry.value("text", Json()).is_string() &&
                       entry.value("verdict", Json()).is_string();
    if (!sound) results.erase(i);
  }
  return results;
}

State state_after(Verdict verdict) {
  if (verdict == Verdict::pass) return State::passes;
  return verdict == Verdict::fail ? State::fails : State::does_not_compile;
}

}  // namespace

std::string to_string(State state) {
  switch (state) {
    case State::not_started:
      return "not started";
    case State::untested:
      return "never checked";
    case State::passes:
      return "passes";
    case State::fails:
      return "fails";
    case State::does_not_compile:
      return "does not compile";
    case State::changed:
      return "changed since the last check";
    case State::absent:
      return "no exercise file";
  }
  return "";
}

State state_of(const std::string& operator_name) {
  const std::optional<std::string> text = read_file(exercise(operator_name));
  if (!text) return State::absent;
  const std::optional<std::string> pristine = read_file(stub(operator_name));
  if (pristine && same_code(*text, *pristine)) return State::not_started;
  const Json results = read_results(operator_name);
  const std::string hash = hash_of(*text);
  for (const Json& entry : results) {
    if (entry["text"] == hash) return state_after(verdict_from(entry["verdict"]));
  }
  return results.empty() ? State::untested : State::changed;
}

bool remember(const std::string& operator_name, const std::string& text, Verdict verdict) {
  Json results = read_results(operator_name);
  const std::string hash = hash_of(text);
  for (std::size_t i = results.size(); i-- > 0;) {
    if (results[i]["text"] == hash) results.erase(i);
  }
  results.push_back({{"text", hash}, {"verdict", to_string(verdict)}});
  while (results.size() > texts_kept) results.erase(0);
  return write_file(results_of(operator_name), results.dump(1) + "\n").empty();
}

}  // namespace kata
