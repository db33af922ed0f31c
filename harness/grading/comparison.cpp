#include "grading/comparison.h"

#include <chrono>

#include "grading/counts.h"
#include "grading/ladder.h"
#include "grading/level.h"
#include "grading/timing.h"
#include "grading/worker_report.h"
#include "timing/chip.h"
#include "timing/measured_times.h"

namespace kata {
namespace {

void add_counts(const Problem& problem, const GradeRequest& request, Report& report) {
  const Shape& shape = report.counted_shape;
  if (shape.empty() || report.kernels.empty()) return;
  report.counts = count_ladder(problem, shape, request);
  report.counts.insert(report.counts.begin(), add_up(RowKind::yours, yours_name, report.kernels));
}

/// Measured now, else kept with the ladder, else estimated.
LadderTimes times_of_ladder(const Problem& problem, const Report& report) {
  const auto times_of = [](const std::string& device, const std::vector<TimingRow>& rows) {
    const Result<Chip> chip = find_chip_of(device);
    LadderTimes times{.chip = chip ? chip->name : device, .measured = true};
    // The first size comes first.
    for (const TimingRow& row : rows_at(rows, rows.front().size))
      times.us[row.name] = row.median_us;
    return times;
  };
  if (!report.timing.empty()) return times_of(report.device, report.timing);
  if (const Result<MeasuredTimes> kept = measured_times(problem))
    return times_of(kept->device, kept->rows);
  LadderTimes times{.chip = report.chip};
  for (const Estimate& row : report.estimates) times.us[row.name] = row.us;
  return times;
}

void add_times(const Problem& problem, const TimedKernel& yours, const GradeRequest& request,
               Report& report) {
  const Shape shape = request.candidate.size ? *request.candidate.size : problem.bench_shapes.at(0);
  const std::optional<Error> error = time_ladder(problem, {shape}, &yours, request, report);
  if (error) {
    report.findings.push_back({.kind = FindingKind::cuda_error,
                               .severity = Severity::warning,
                               .message = "no times: " + error->message});
  }
  report.verdict = verdict_of(report);
}

}  // namespace

std::optional<Error> add_estimates(const Problem& problem, const std::vector<Shape>& shapes,
                                   const Estimated* yours, double limit_s,
                                   const GradeRequest& request, Report& report) {
  const Result<Chip> chip = find_chip(request.chip);
  if (!chip) return chip.error();
  report.chip = chip->name;
  const auto start = std::chrono::steady_clock::now();
  for (const Shape& shape : shapes) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    for (Estimate& one :
         estimate_ladder(problem, shape, *chip, yours, limit_s - passed.count(), request))
      report.estimates.push_back(std::move(one));
  }
  return {};
}

void compare_with_ladder(const CompiledCandidate& compiled, const GradeRequest& request,
                         Report& report) {
  const auto& [module, entry] = compiled;
  const Problem& problem = *entry.problem;
  const Candidate& candidate = request.candidate;
  if (request.backend == Backend::emulator) {
    add_counts(problem, request, report);
    const Shape shape = candidate.size ? *candidate.size : problem.bench_shapes.at(0);
    const Estimated yours{RowKind::yours, yours_name, module, entry.function};
    if (request.chip != "none")
      add_estimates(problem, {shape}, &yours, checking_limit_s, request, report);
  } else {
    add_times(problem, {RowKind::yours, yours_name, module.path, entry.function}, request, report);
  }
  const std::vector<Rung> rungs = ladder(problem.name);
  report.level = level_of(report, rungs, rung_with_text(rungs, candidate.text));
  if (report.level)
    report.level->slower_next = slower_next(*report.level, rungs, times_of_ladder(problem, report));
}

}  // namespace kata
