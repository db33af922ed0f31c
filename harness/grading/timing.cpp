#include "grading/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "grading/gpu.h"
#include "grading/kept_times.h"
#include "grading/ladder.h"
#include "support/parallel.h"
#include "support/paths.h"
#include "timing/table.h"

namespace kata {
namespace {

constexpr double turn_limit_s = 10;  // for one call: what takes longer is too slow to time
constexpr double own_limit_s = 60;   // for what the worker does alone: draws the inputs of a size

CompileRequest for_gpu(const std::filesystem::path& source) {
  return {.source = source, .backend = Backend::gpu, .compute_capability = compute_capability()};
}

/// A rung or a library, and its module.
struct Compiled {
  RowKind kind;
  const Rung* rung;
  Result<Module> module = Error{"not compiled"};
};

/// Several compilers at a time: a ladder that was never timed has up to 20 files.
void compile_all(std::vector<Compiled>& all) {
  constexpr unsigned most = 8;  // nvcc needs half a gigabyte
  const auto compile_one = [&](std::size_t i) {
    if (!interrupted()) all[i].module = compile(for_gpu(all[i].rung->path));
  };
  in_parallel(all.size(), compile_one, std::clamp(std::thread::hardware_concurrency(), 1u, most));
}

/// The rungs and libraries that compile; for the others a row that says that they do not.
void add_ladder(const Problem& problem, const std::vector<Shape>& shapes,
                const GradeRequest& request, Job& job, Report& report) {
  const std::vector<Rung> rungs = ladder(problem.name), others = libraries(problem.name);
  std::vector<Compiled> all;
  for (const Rung& rung : rungs) all.push_back({RowKind::rung, &rung});
  for (const Rung& library : others) all.push_back({RowKind::library, &library});
  request.say(fmt::format("compiling {} rungs and libraries", all.size()));
  compile_all(all);
  if (interrupted()) return;
  for (const Compiled& one : all) {
    if (one.module) {
      job.kernels.push_back({one.kind, one.rung->name, one.module->path, problem.name});
      continue;
    }
    for (const Shape& shape : shapes) {
      report.timing.push_back({.kind = one.kind,
                               .name = one.rung->name,
                               .size = to_string(shape),
                               .error = one.module.error().message});
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

namespace {

/// Of yours and all that it is set beside, at those shapes.
Result<Job> job_for(const Problem& problem, const std::vector<Shape>& shapes,
                    const TimedKernel* yours, const GradeRequest& request, Report& report) {
  Job job{.kind = Job::Kind::time,
          .operator_name = problem.name,
          .seed = request.seed,
          .time_limit_s = turn_limit_s,
          .shapes = shapes};
  if (yours) job.kernels.push_back({RowKind::yours, yours_name, yours->module, yours->entry});
  add_ladder(problem, shapes, request, job, report);
  const Result<Module> ceilings = ceiling_kernels();
  if (!ceilings) return ceilings.error();
  job.ceilings_module = ceilings->path;
  return job;
}

Result<WorkerRun> run_timing(const Job& job) {
  const double turns = static_cast<double>(job.shapes.size() * (job.kernels.size() + 1));
  return run_worker(Backend::gpu, job, 30 + turns * turn_limit_s + 2 * own_limit_s, own_limit_s);
}

void add_rows(const Answers& answers, Report& report) {
  if (!answers.device.empty()) report.device = answers.device;
  report.timing.insert(report.timing.end(), answers.timing.begin(), answers.timing.end());
  for (const TimingRow& row : answers.timing) {
    if (row.kind != RowKind::yours || !(row.failed || row.invalid)) continue;
    report.findings.push_back(
        {.kind = row.failed ? FindingKind::cuda_error : FindingKind::invalid_timing,
         .message = fmt::format("at {}: {}", row.size, row.error)});
  }
}

/// Everything in turn. The times of the ladder are kept.
std::optional<Error> time_all(const Problem& problem, Job job, const GradeRequest& request,
                              Report& report) {
  request.say(fmt::format("timing {} kernels in turn", job.kernels.size()));
  const Result<WorkerRun> run = run_timing(job);
  if (!run) return run.error();
  const Answers& answers = run->answers;
  if (died_in_yours(job, answers)) {
    add_untimed(job.shapes, cause_of_death(*run, turn_limit_s), report);
    job.kernels.erase(job.kernels.begin());
    return time_all(problem, std::move(job), request, report);
  }
  add_rows(answers, report);
  if (answers.error) return answers.error;
  if (!answers.done) return why_timing_ended(*run);
  const std::string key = ladder_key(job, answers.device);
  for (const Shape& shape : job.shapes) keep_times(problem, shape, key, answers.timing);
  return {};
}

/// The job with yours, and of the ladder its two fastest rungs, for comparison alone.
Job only_yours(Job job, const KeptTimes& kept) {
  constexpr std::size_t most = 2;
  std::vector<TimingRow> rungs = kept.rows;
  std::erase_if(rungs, [](const TimingRow& row) { return row.kind != RowKind::rung; });
  std::ranges::sort(rungs, {}, &TimingRow::median_us);
  if (rungs.size() > most) rungs.resize(most);
  std::erase_if(job.kernels, [&](const TimedKernel& one) {
    return one.kind != RowKind::yours &&
           std::ranges::find(rungs, one.name, &TimingRow::name) == rungs.end();
  });
  for (TimedKernel& one : job.kernels) one.timed = one.kind == RowKind::yours;
  return job;
}

/// The kept rows behind yours. False, and nothing is added, if they are not comparable.
bool time_beside(const KeptTimes& kept, const Job& job, const GradeRequest& request,
                 Report& report) {
  request.say("timing yours");
  const Job short_job = only_yours(job, kept);
  const Result<WorkerRun> run = run_timing(short_job);
  if (!run) return false;
  const std::vector<TimingRow>& rows = run->answers.timing;
  const auto limit = std::ranges::find(rows, RowKind::limit, &TimingRow::kind);
  const bool died = died_in_yours(short_job, run->answers);
  if (!died && (limit == rows.end() || !is_as_fast_as_then(kept, *limit))) return false;
  if (died) add_untimed(job.shapes, cause_of_death(*run, turn_limit_s), report);
  if (!died) add_rows(run->answers, report);
  const double yours_us = died ? 0 : rows.front().median_us;
  auto place = report.timing.end() - (died ? 0 : 1);  // before the limit of now
  for (TimingRow row : kept.rows) {
    if (row.kind == RowKind::limit && !died) continue;
    row.kept_from = kept.date;
    if (yours_us > 0) row.vs_yours = row.median_us / yours_us;
    place = report.timing.insert(place, row) + 1;
  }
  return true;
}

}  // namespace

std::optional<Error> time_ladder(const Problem& problem, const std::vector<Shape>& shapes,
                                 const TimedKernel* yours, const GradeRequest& request,
                                 Report& report) {
  const Result<Job> job = job_for(problem, shapes, yours, request, report);
  return job ? time_all(problem, *job, request, report) : job.error();
}

std::optional<Error> time_yours(const Problem& problem, const Shape& shape,
                                const TimedKernel& yours, const GradeRequest& request,
                                Report& report) {
  const Result<Job> job = job_for(problem, {shape}, &yours, request, report);
  if (!job) return job.error();
  const auto& device = gpu();
  const auto kept = kept_times(problem, shape, ladder_key(*job, device ? device->name : ""));
  if (kept && time_beside(*kept, *job, request, report)) return {};
  return time_all(problem, *job, request, report);
}

}  // namespace kata
