#include "practice/state.h"

#include <optional>

#include "emulator/lexer/lexer.h"
#include "support/files.h"
#include "support/paths.h"

namespace kata {
namespace {

State state_after(Verdict verdict) {
  if (verdict == Verdict::pass) return State::passes;
  return verdict == Verdict::fail ? State::fails : State::does_not_compile;
}

}  // namespace

bool same_code(const std::string& a, const std::string& b) {
  return emulator::significant_tokens(a) == emulator::significant_tokens(b);
}

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

State state_of(const std::string& operator_name, const Result<History>& history) {
  const std::optional<std::string> text = read_file(exercise(operator_name));
  if (!text) return State::absent;
  const std::optional<std::string> pristine = read_file(stub(operator_name));
  if (pristine && same_code(*text, *pristine)) return State::not_started;
  if (!history) return State::untested;
  if (const auto verdict = history->verdict_of(operator_name, *text)) return state_after(*verdict);
  return history->knows(operator_name) ? State::changed : State::untested;
}

}  // namespace kata
