// Data that only a GPU gives, and the stored profiles. Missing data is no error.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "assembly/kept.h"
#include "compile/toolchain.h"
#include "contribute/checks.h"
#include "faults/fault.h"
#include "grading/estimates.h"
#include "grading/ladder.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"
#include "timing/measured_times.h"

namespace kata::contribute {
namespace {

std::set<std::string> names_of(const std::vector<Rung>& rungs) {
  std::set<std::string> names;
  for (const Rung& rung : rungs) names.insert(rung.name);
  return names;
}

OperatorCheck not_measured(const std::string& name, const std::string& command) {
  return {name, OperatorCheck::State::not_measured, "not measured: " + command};
}

/// Names of `all` that lack a row at some benched size.
std::set<std::string> untimed(const Problem& problem, const MeasuredTimes& kept,
                              const std::set<std::string>& all) {
  std::set<std::string> names;
  for (const Shape& shape : problem.bench_shapes) {
    const std::vector<TimingRow> rows = rows_at(kept.rows, to_string(shape));
    for (const std::string& name : all) {
      if (!find_row(rows, name)) names.insert(name);
    }
  }
  return names;
}

}  // namespace

OperatorCheck check_times(const Problem& problem) {
  const std::filesystem::path file = solutions(problem.name) / "times.csv";
  if (!read_file(file))
    return not_measured("times", fmt::format("kata bench {} on a GPU", problem.name));
  const Result<MeasuredTimes> kept = measured_times(problem);
  if (!kept) return check_of("times", "", {kept.error().message});
  std::set<std::string> names = names_of(ladder(problem.name));
  names.merge(names_of(libraries(problem.name)));
  std::vector<std::string> details;
  if (kept->device.empty() || kept->date.empty())
    details.push_back(shown(file) + " does not say where and when it was measured");
  for (const TimingRow& row : kept->rows) {
    const bool is_limit = row.kind == RowKind::limit;
    if (!is_limit && !names.contains(row.name))
      details.push_back(fmt::format("{} has {}, which is no file", shown(file), row.name));
    if (row.median_us <= 0 || (!is_limit && row.samples <= 0))
      details.push_back(fmt::format("{}: {} at {} has no time", shown(file), row.name, row.size));
  }
  for (const Shape& shape : problem.bench_shapes) {
    const std::vector<TimingRow> rows = rows_at(kept->rows, to_string(shape));
    if (!rows.empty() && rows.back().kind != RowKind::limit)
      details.push_back(
          fmt::format("{}: {} does not end with its limit", shown(file), to_string(shape)));
  }
  OperatorCheck check = check_of("times", fmt::format("{}, {}", kept->device, kept->date), details);
  const std::set<std::string> missing = untimed(problem, *kept, names);
  if (missing.empty() || check.state == OperatorCheck::State::wrong) return check;
  return not_measured("times", fmt::format("{}", fmt::join(missing, ", ")));
}

OperatorCheck check_profiles(const Problem& problem) {
  if (uses_devices(problem)) return check_of("profiles", "none: it is for several devices", {});
  const std::filesystem::path file = solutions(problem.name) / "profiles.jsonl";
  const std::optional<std::string> text = read_file(file);
  std::set<std::string> missing = names_of(ladder(problem.name));
  const std::set<std::string> rungs = missing;
  std::vector<std::string> details;
  for (const std::string& line : lines_of(text.value_or(""))) {
    const auto kept = nlohmann::json::parse(line, nullptr, false);
    const std::string rung = kept.is_object() ? kept.value("rung", "") : "";
    if (!rungs.contains(rung))
      details.push_back(fmt::format("{} has {}, which is no rung", shown(file), rung));
  }
  for (const std::string& rung : rungs_with_profiles(problem, problem.bench_shapes.front()))
    missing.erase(rung);
  if (missing.empty() || !details.empty())
    return check_of("profiles", "kept for every rung", details);
  return {"profiles", OperatorCheck::State::missing,
          fmt::format("kata keep-profiles {} adds {}", problem.name, fmt::join(missing, ", "))};
}

OperatorCheck check_assembly(const Problem& problem) {
  const std::string name = "assembly";
  std::set<std::string> missing = names_of(ladder(problem.name));
  for (const std::string& rung : assembly::rungs_with_summaries(problem)) missing.erase(rung);
  if (missing.empty()) return check_of(name, "kept for every rung", {});
  const std::string remedy =
      fmt::format("kata keep-assembly {} adds {}", problem.name, fmt::join(missing, ", "));
  if (find_cuda_tool("nvcc").empty()) return not_measured(name, remedy + " where nvcc is");
  return {name, OperatorCheck::State::missing, remedy};
}

namespace {

/// What the judge said on a GPU of the faults, by their names.
std::map<std::string, std::string> gpu_verdicts(const std::string& operator_name) {
  const std::optional<std::string> table =
      read_file(root() / "tests" / "fidelity" / "h200_faults.csv");
  std::map<std::string, std::string> verdicts;
  for (const std::string& line : lines_of(table.value_or(""))) {
    const std::vector<std::string> row = split(line, ',');  // operator, fault, date, verdict, ...
    if (row.size() > 3 && row[0] == operator_name) verdicts[row[1]] = row[3];
  }
  return verdicts;
}

}  // namespace

OperatorCheck check_gpu_verdicts(const Problem& problem) {
  const std::string name = "GPU verdicts";
  std::map<std::string, std::string> verdicts = gpu_verdicts(problem.name);
  if (verdicts.empty()) return not_measured(name, "tests/gpu/run_all.sh build verdicts");
  const Result<std::vector<faults::Fault>> all = faults::read_faults(problem.name);
  if (!all) return check_of(name, "", {all.error().message});
  const std::size_t judged = verdicts.size();
  std::size_t left = 0;
  std::vector<std::string> details;
  for (const faults::Fault& fault : *all) {
    const auto row = verdicts.extract(fault.name);
    if (!row)
      ++left;
    else if (fault.gpu == faults::GpuVerdict::fails && row.mapped() != "fail")
      details.push_back(fault.name + " passes on the GPU; it should fail");
    else if (fault.gpu == faults::GpuVerdict::passes && row.mapped() != "pass")
      details.push_back(fault.name + " fails on the GPU; it should pass");
  }
  for (const auto& [fault, verdict] : verdicts)
    details.push_back("h200_faults.csv has " + fault + ", which is no fault");
  OperatorCheck check = check_of(name, fmt::format("{} faults, as expected", judged), details);
  if (check.state == OperatorCheck::State::right && left > 0)
    return not_measured(name, fmt::format("{} of {} faults", left, all->size()));
  return check;
}

}  // namespace kata::contribute
