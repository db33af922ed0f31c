#include "grading/machine_counts.h"

#include "compile/registers.h"
#include "grading/spawn.h"
#include "problems/spec/problem.h"

namespace kata {
namespace {

constexpr double counting_limit_s = 120;

}  // namespace

void count_machine_code(const CompiledCandidate& compiled, const GradeRequest& request,
                        Report& report) {
  const Problem& problem = *compiled.entry.problem;
  const Candidate& candidate = request.candidate;
  if (report.kernels.empty() || report.counted_shape.empty() || uses_devices(problem)) return;
  const auto code = machine_code(candidate.path, "9.0");
  if (!code) return;
  request.say("counting in the machine code of " + candidate.path.filename().string());
  Job job{.kind = Job::Kind::judge,
          .operator_name = problem.name,
          .module = compiled.module.path,
          .entry = compiled.entry.function,
          .seed = request.seed,
          .time_limit_s = counting_limit_s,
          .shapes = {report.counted_shape},
          .machine_code = *code};
  if (candidate.size) {
    job.values = candidate.values;
    job.reals = candidate.reals;
  }
  const auto run = run_worker(Backend::emulator, job, 2 * counting_limit_s);
  if (run && run->answers.done && run->answers.kernels.size() == report.kernels.size())
    report.kernels = run->answers.kernels;
}

}  // namespace kata
