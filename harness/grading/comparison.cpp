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

void add_counts(const Problem& problem, const GradeRequest& request, Report& report) {
  const Shape& shape = report.counted_shape;
  if (shape.empty() || report.kernels.empty()) return;
  report.counts = count_ladder(problem, shape, request);
  report.counts.insert(report.counts.begin(), add_up(RowKind::yours, yours_name, report.kernels));
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
    add_counts(problem, request, report);
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
  const std::vector<Rung> rungs = ladder(problem.name);
  report.level = level_of(report, rungs, rung_with_text(rungs, candidate.text));
}

}  // namespace kata
