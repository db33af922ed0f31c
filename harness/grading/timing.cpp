#include "grading/timing.h"

#include <fmt/format.h>

#include "grading/gpu.h"
#include "grading/ladder.h"
#include "grading/spawn.h"
#include "support/paths.h"

namespace kata {
namespace {

constexpr double turn_limit_s = 20;
constexpr const char* yours_name = "yours";

CompileRequest for_gpu(const std::filesystem::path& source) {
  return {.source = source, .backend = Backend::gpu, .compute_capability = compute_capability()};
}

/// The rungs and libraries that compile; for the others a row that says that they do not.
void add_contestants(const Problem& problem, const std::vector<Rung>& rungs,
                     const std::vector<Shape>& shapes, const GradeRequest& request, Job& job,
                     Report& report) {
  for (const Rung& rung : rungs) {
    if (interrupted()) return;
    if (request.progress) request.progress("compiling " + rung.name);
    const Result<Module> module = compile(for_gpu(rung.path));
    if (module) {
      job.contestants.push_back({rung.name, module->path, problem.name});
      continue;
    }
    for (const Shape& shape : shapes) {
      report.timing.push_back(
          {.name = rung.name, .size = to_string(shape), .error = module.error().message});
    }
  }
}

}  // namespace

std::string compute_capability() {
  const Result<GpuInfo>& info = gpu();
  return info ? fmt::format("{}.{}", info->major, info->minor) : "";
}

std::optional<Error> time_ladder(const Problem& problem, const std::vector<Shape>& shapes,
                                 const Contestant* yours, const GradeRequest& request,
                                 Report& report) {
  Job job{.kind = Job::Kind::time,
          .operator_name = problem.name,
          .seed = request.seed,
          .time_limit_s = turn_limit_s,
          .shapes = shapes};
  if (yours) job.contestants.push_back({yours_name, yours->module, yours->entry});
  add_contestants(problem, ladder(problem.name), shapes, request, job, report);
  add_contestants(problem, libraries(problem.name), shapes, request, job, report);
  const Result<Module> ceilings = compile(for_gpu(root() / "harness" / "timing" / "ceilings.cu"));
  if (!ceilings) return ceilings.error();
  job.ceilings_module = ceilings->path;

  if (request.progress) request.progress("timing");
  const double turns = static_cast<double>(shapes.size() * (job.contestants.size() + 1));
  const Result<WorkerRun> run = run_worker(Backend::gpu, job, 30 + turns * turn_limit_s);
  if (!run) return run.error();
  const Answers& answers = run->answers;
  if (!answers.device.empty()) report.device = answers.device;
  report.timing.insert(report.timing.end(), answers.timing.begin(), answers.timing.end());
  if (answers.error) return answers.error;
  if (answers.done) return {};
  const Finding death = cause_of_death(*run, turn_limit_s);
  if (!answers.current.starts_with(yours_name))
    return Error{"timing ended early: " + death.message};
  report.findings.push_back(death);
  return {};
}

}  // namespace kata
