#include "assembly/kept.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "grading/kept_profiles.h"
#include "support/date.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/text.h"

namespace fs = std::filesystem;

namespace kata::assembly {
namespace {

using Kept = std::map<std::string, nlohmann::json>;

/// The lines of the file, by rung.
Kept kept_by_rung(const Problem& problem) {
  Kept kept;
  for (const std::string& line : lines_of(read_file(summaries_path(problem)).value_or(""))) {
    nlohmann::json one = nlohmann::json::parse(line, nullptr, false);
    const std::string rung = one.is_object() ? one.value("rung", "") : "";
    if (!rung.empty()) kept[rung] = std::move(one);
  }
  return kept;
}

/// The rung's line; null if it was edited since, or nothing is kept.
const nlohmann::json* current(const Kept& kept, const Rung& rung) {
  const auto line = kept.find(rung.name);
  const bool is_of_source =
      line != kept.end() && line->second.value("source", "") == source_key(rung);
  return is_of_source ? &line->second : nullptr;
}

Result<nlohmann::json> line_of(const Problem& problem, const Rung& rung, const Chip& chip) {
  const Result<Assembly> made = assemble(rung.path, chip.compute_capability, false);
  if (!made) return Error{rung.name + ": " + made.error().message, made.error().detail};
  Summary summary = summary_of(*made, &problem, chip);
  summary.date = today();
  nlohmann::json line = summary;
  line.update({{"rung", rung.name},
               {"source", source_key(rung)},
               {"command", "kata keep-assembly " + problem.name}});
  return line;
}

}  // namespace

std::optional<Summary> kept_summary(const Problem& problem, const Rung& rung) try {
  const Kept kept = kept_by_rung(problem);
  const nlohmann::json* const line = current(kept, rung);
  if (!line) return {};
  return line->get<Summary>();
} catch (const nlohmann::json::exception&) {
  return {};  // damaged: as if nothing were kept
}

std::vector<std::string> rungs_with_summaries(const Problem& problem) {
  std::vector<std::string> names;
  const Kept kept = kept_by_rung(problem);
  for (const Rung& rung : ladder(problem.name)) {
    if (current(kept, rung)) names.push_back(rung.name);
  }
  return names;
}

Summary summary_of(const Assembly& assembly, const Problem* problem, const Chip& chip) {
  std::vector<LaunchProfile> launches;
  Cost cost;
  if (problem) {
    const Shape& shape = problem->bench_shapes.at(0);
    const SourceFile& file = assembly.sources.front();
    const KeptProfiles kept(*problem);
    const Profiled* const profiled = kept.find(source_key(file.path, file.text), shape);
    if (profiled && profiled->launches) launches = *profiled->launches;
    cost = problem->cost(shape);
  }
  return summary_of(assembly, main_kernel(assembly, launches, cost, chip));
}

std::optional<Error> keep_assembly(const Problem& problem, const std::string& only,
                                   const std::function<void(const std::string&)>& progress) {
  const Result<Chip> chip = find_chip(kept_chip);
  if (!chip) return chip.error();
  const auto kept = kept_by_rung(problem);
  std::string text;
  for (const Rung& rung : ladder(problem.name)) {
    const auto before = kept.find(rung.name);
    if (!only.empty() && rung.name != only) {
      if (before != kept.end()) text += before->second.dump() + "\n";
      continue;
    }
    progress("compiling " + rung.name);
    const Result<nlohmann::json> line = line_of(problem, rung, *chip);
    if (interrupted()) return Error{"interrupted"};
    if (!line) return line.error();
    text += line->dump() + "\n";
  }
  const std::string reason = write_file(summaries_path(problem), text);
  if (reason.empty()) return {};
  return Error{fmt::format("cannot write {}: {}", summaries_path(problem).string(), reason)};
}

fs::path summaries_path(const Problem& problem) {
  return solutions(problem.name) / "assembly.jsonl";
}

}  // namespace kata::assembly
