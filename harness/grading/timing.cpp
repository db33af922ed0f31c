#include "grading/timing.h"

#include <fmt/format.h>

#include <algorithm>

#include "grading/gpu.h"
#include "grading/ladder.h"
#include "support/paths.h"
#include "timing/table.h"

namespace kata {
namespace {

constexpr double turn_limit_s = 10;  // for one call: what takes longer is too slow to time
constexpr double own_limit_s = 60;   // for what the worker does alone: draws the inputs of a size

CompileRequest for_gpu(const std::filesystem::path& source) {
  return {.source = source, .backend = Backend::gpu, .compute_capability = compute_capability()};
}

/// The rungs and libraries that compile; for the others a row that says that they do not.
void add_timed_kernels(const Problem& problem, RowKind kind, const std::vector<Rung>& rungs,
                       const std::vector<Shape>& shapes, const GradeRequest& request, Job& job,
                       Report& report) {
  for (const Rung& rung : rungs) {
    if (interrupted()) return;
    if (request.progress) request.progress("compiling " + rung.name);
    const Result<Module> module = compile(for_gpu(rung.path));
    if (module) {
      job.kernels.push_back({kind, rung.name, module->path, problem.name});
      continue;
    }
    for (const Shape& shape : shapes) {
      report.timing.push_back({.kind = kind,
                               .name = rung.name,
                               .size = to_string(shape),
                               .error = module.error().message});
    }
  }
}

/// A candidate that was right on every case and did not come through the timing. That it is slow is
/// no fault; that it crashes at this size is one.
void add_untimed(const std::vector<Shape>& shapes, Finding death, Report& report) {
  if (death.kind == FindingKind::timeout) {
    death.severity = Severity::warning;
    death.message = fmt::format(
        "not timed: one call at {} takes longer than {} s (right on every case, but too slow, or "
        "it hangs at this size)",
        to_string(shapes.front()), turn_limit_s);
  }
  for (const Shape& shape : shapes) {
    report.timing.push_back({.kind = RowKind::yours,
                             .name = yours_name,
                             .size = to_string(shape),
                             .error = death.message});
  }
  report.findings.push_back(std::move(death));
}

}  // namespace

bool died_in_yours(const Job& job, const Answers& answers) {
  if (answers.done || answers.error || answers.judge_works) return false;
  if (!answers.current || answers.current->stage != Stage::timing) return false;
  return std::any_of(job.kernels.begin(), job.kernels.end(), [&](const TimedKernel& one) {
    return one.kind == RowKind::yours && one.name == answers.current->what;
  });
}

Error why_timing_ended(const WorkerRun& run) {
  if (const std::optional<Error> fault = own_timeout(run)) return *fault;
  if (run.answers.judge_works) return Error{"timing ended early, while kata drew inputs"};
  return Error{"timing ended early: " + cause_of_death(run, turn_limit_s).message};
}

Result<Module> ceiling_kernels() {
  return compile(for_gpu(root() / "harness" / "timing" / "ceilings.cu"));
}

std::optional<Error> time_ladder(const Problem& problem, const std::vector<Shape>& shapes,
                                 const TimedKernel* yours, const GradeRequest& request,
                                 Report& report) {
  Job job{.kind = Job::Kind::time,
          .operator_name = problem.name,
          .seed = request.seed,
          .time_limit_s = turn_limit_s,
          .shapes = shapes};
  if (yours) job.kernels.push_back({RowKind::yours, yours_name, yours->module, yours->entry});
  add_timed_kernels(problem, RowKind::rung, ladder(problem.name), shapes, request, job, report);
  add_timed_kernels(problem, RowKind::library, libraries(problem.name), shapes, request, job,
                    report);
  const Result<Module> ceilings = ceiling_kernels();
  if (!ceilings) return ceilings.error();
  job.ceilings_module = ceilings->path;

  if (request.progress) request.progress("timing");
  const double turns = static_cast<double>(shapes.size() * (job.kernels.size() + 1));
  const Result<WorkerRun> run =
      run_worker(Backend::gpu, job, 30 + turns * turn_limit_s + 2 * own_limit_s, own_limit_s);
  if (!run) return run.error();
  const Answers& answers = run->answers;
  if (!answers.device.empty()) report.device = answers.device;
  if (died_in_yours(job, answers)) {
    add_untimed(shapes, cause_of_death(*run, turn_limit_s), report);
    return time_ladder(problem, shapes, nullptr, request, report);
  }
  report.timing.insert(report.timing.end(), answers.timing.begin(), answers.timing.end());
  for (const TimingRow& row : answers.timing)
    if (row.kind == RowKind::yours && row.failed)
      report.findings.push_back({.kind = FindingKind::cuda_error,
                                 .message = fmt::format("at {}: {}", row.size, row.error)});
  if (answers.error) return answers.error;
  if (answers.done) return {};
  return why_timing_ended(*run);
}

}  // namespace kata
