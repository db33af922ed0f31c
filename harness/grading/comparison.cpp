#include "grading/comparison.h"

#include <chrono>

#include "grading/check_estimates.h"
#include "grading/counts.h"
#include "grading/ladder.h"
#include "grading/level.h"
#include "grading/timing.h"
#include "grading/worker_report.h"
#include "timing/chip.h"

namespace kata {
namespace {

/// Whether the rungs' counts decide the level, or would stand in the place of times: where there
/// are no times, and where several rungs are as fast as a candidate that is none of them.
bool needs_counts(const std::optional<Level>& level, const Rung* itself) {
  return !level || level->size.empty() || (!itself && !level->same.empty());
}

/// The level; and every rung's counts beside those of yours, where somebody reads them.
void place(const Problem& problem, const GradeRequest& request, Report& report) {
  const std::vector<Rung> rungs = ladder(problem.name);
  const Rung* const itself = rung_with_text(rungs, request.candidate.text);
  report.level = level_of(report, rungs, itself);
  if (report.counts.empty()) return;
  if (!request.all_counts && !needs_counts(report.level, itself)) return;
  for (CountRow& row : count_ladder(problem, report.counted_shape, request))
    report.counts.push_back(std::move(row));
  report.level = level_of(report, rungs, itself);
}

void add_times(const Problem& problem, const TimedKernel& yours, const GradeRequest& request,
               Report& report) {
  const Shape shape = request.candidate.size ? *request.candidate.size : problem.bench_shapes.at(0);
  const std::optional<Error> error = time_yours(problem, shape, yours, request, report);
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
    if (!report.counted_shape.empty() && !report.kernels.empty())
      report.counts = {add_up(RowKind::yours, yours_name, report.kernels)};
    const Result<Chip> chip = find_chip(request.chip);
    if (chip && !uses_devices(problem)) {
      const Estimated yours{RowKind::yours, yours_name, module, entry.function};
      const auto shapes =
          candidate.size ? std::vector<Shape>{*candidate.size} : problem.bench_shapes;
      report.chip = chip->name;
      report.estimates = check_estimates(problem, shapes, *chip, yours, request);
    }
  } else {
    add_times(problem, {RowKind::yours, yours_name, module.path, entry.function}, request, report);
  }
  place(problem, request, report);
}

}  // namespace kata
