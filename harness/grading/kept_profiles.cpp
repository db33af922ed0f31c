#include "grading/kept_profiles.h"

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

KeptProfiles::KeptProfiles(const Problem& problem) {
  for (const std::string& line : lines_of(read_file(kept_path(problem)).value_or(""))) {
    try {
      const auto one = nlohmann::json::parse(line);
      const auto size = one.at("size").get<std::string>();
      const Profiled profiled = profiled_from_json(one);
      of_source_[one.at("source").get<std::string>() + size] = profiled;
      if (profiled.launches)
        of_rung_[one.at("rung").get<std::string>() + size] = *profiled.launches;
    } catch (const nlohmann::json::exception&) {
      continue;  // damaged: it is profiled again
    }
  }
}

const Profiled* KeptProfiles::find(const std::string& source, const Shape& shape) const {
  const auto found = of_source_.find(source + to_string(shape));
  return found == of_source_.end() ? nullptr : &found->second;
}

const std::vector<LaunchProfile>* KeptProfiles::older(const std::string& rung,
                                                      const Shape& shape) const {
  const auto found = of_rung_.find(rung + to_string(shape));
  return found == of_rung_.end() ? nullptr : &found->second;
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
