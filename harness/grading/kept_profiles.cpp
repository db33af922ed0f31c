#include "grading/kept_profiles.h"

#include <mutex>
#include <nlohmann/json.hpp>

#include "compile/hash.h"
#include "compile/sources.h"
#include "report/json.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

constexpr const char* too_slow = "too slow";  // in the file, where there is no other reason

}  // namespace

nlohmann::json profiled_to_json(const Profiled& one) {
  if (one.launches) return launches_to_json(*one.launches);
  return {{"reason", one.reason.empty() ? too_slow : one.reason}};
}

Profiled profiled_from_json(const nlohmann::json& json) {
  if (!json.contains("reason")) return {launches_from_json(json)};
  const std::string reason = json.at("reason");
  return {.reason = reason == too_slow ? "" : reason};
}

std::string source_key(const fs::path& path, const std::string& text) {
  Hash hash;
  const auto sources = read_sources({path}, {}, text);
  for (const SourceFile& source : sources ? *sources : std::vector<SourceFile>{{path, text}}) {
    for (const std::string& line : lines_of(source.text)) {
      const std::size_t first = line.find_first_not_of(" \t");
      if (first != std::string::npos && line.compare(first, 2, "//") != 0) hash.add(line);
    }
  }
  return hash.hex();
}

std::string source_key(const Rung& rung) {
  return source_key(rung.path, read_file(rung.path).value_or(""));
}

struct KeptProfiles::Parsed {
  explicit Parsed(std::string file);

  std::string text;
  std::map<std::string, Profiled> of_source;
  std::map<std::string, std::vector<LaunchProfile>> of_rung;
};

KeptProfiles::Parsed::Parsed(std::string file) : text(std::move(file)) {
  for (const std::string& line : lines_of(text)) {
    try {
      const auto one = nlohmann::json::parse(line);
      const auto size = one.at("size").get<std::string>();
      const Profiled profiled = profiled_from_json(one);
      of_source[one.at("source").get<std::string>() + size] = profiled;
      if (profiled.launches) of_rung[one.at("rung").get<std::string>() + size] = *profiled.launches;
    } catch (const nlohmann::json::exception&) {
      continue;  // damaged: it is profiled again
    }
  }
}

/// Once, while the file has the same text: it takes far longer than to read it.
std::shared_ptr<const KeptProfiles::Parsed> KeptProfiles::parsed(const fs::path& path) {
  static std::mutex mutex;
  static std::map<fs::path, std::shared_ptr<const Parsed>> all;
  std::string text = read_file(path).value_or("");
  const std::lock_guard lock(mutex);
  std::shared_ptr<const Parsed>& found = all[path];
  if (!found || found->text != text) found = std::make_shared<const Parsed>(std::move(text));
  return found;
}

KeptProfiles::KeptProfiles(const Problem& problem) : parsed_(parsed(kept_path(problem))) {}

const Profiled* KeptProfiles::find(const std::string& source, const Shape& shape) const {
  const auto found = parsed_->of_source.find(source + to_string(shape));
  return found == parsed_->of_source.end() ? nullptr : &found->second;
}

const std::vector<LaunchProfile>* KeptProfiles::older(const std::string& rung,
                                                      const Shape& shape) const {
  const auto found = parsed_->of_rung.find(rung + to_string(shape));
  return found == parsed_->of_rung.end() ? nullptr : &found->second;
}

fs::path kept_path(const Problem& problem) {
  return solutions(problem.name) / "profiles.jsonl";
}

std::map<std::string, std::string> kept_lines(const Problem& problem) {
  std::map<std::string, std::string> kept;
  for (const std::string& line : lines_of(read_file(kept_path(problem)).value_or(""))) {
    const auto one = nlohmann::json::parse(line, nullptr, false);
    if (one.is_object()) kept[one.value("rung", "")] += line + "\n";
  }
  return kept;
}

}  // namespace kata
