#pragma once
// A worker process for one job.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "problems/spec/problem.h"
#include "report/report.h"
#include "support/process.h"
#include "support/result.h"
#include "worker/answers.h"
#include "worker/job.h"

namespace kata {

/// The program that runs modules on that backend; it need not exist.
std::filesystem::path worker_program(Backend backend);

/// Another number for each build of that program; 0 if there is none.
std::int64_t build_of(Backend backend);

/// Called with each finding as soon as a worker has it; perhaps by two threads at once.
using Noticed = std::function<void(const Finding& finding)>;

struct WorkerRun {
  Answers answers;
  Finished process;
};

/// Runs the backend's worker on the job and waits, for `time_limit_s` at most (a backstop: the
/// worker has a watchdog of its own). `own_limit_s`: what the judge may need for itself between two
/// calls of the candidate; 0: no more than the candidate. An Error if there is no such worker, or
/// on Ctrl-C.
Result<WorkerRun> run_worker(Backend backend, const Job& job, double time_limit_s,
                             double own_limit_s = 0, const Noticed& noticed = {});

/// The cases of a job that two workers share.
struct Halves {
  std::size_t middle = 0;   ///< the first case of the second worker
  std::size_t results = 0;  ///< of all cases
};

/// Judges the first half of the job's cases in one worker of the emulator and the second half in
/// another at the same time. The answers are those of one worker that judged all.
Result<WorkerRun> judge_in_halves(const Job& job, const Problem& problem, const Halves& halves,
                                  double time_limit_s, double own_limit_s,
                                  const Noticed& noticed = {});

/// How long a worker may give no answer: the candidate's time limit and a moment, or what the judge
/// may need while it draws, computes the reference, compares and explains.
double longest_silence_s(const Answers& answers, double time_limit_s, double own_limit_s);

/// Runs a module's main() in the emulator's worker until it ends, with our standard streams and
/// these arguments, the program's name first, or for so much processor time (0: no limit). An Error
/// if there is no such worker.
Result<WorkerRun> run_program_worker(const Job& job, const std::vector<std::string>& arguments,
                                     double processor_limit_s);

/// A line is found once, also by two workers.
void drop_repeated(std::vector<Finding>& findings);

/// What a signal means to somebody whose program it ended.
const char* describe_signal(int signal);

/// Why the worker did not come to its end, as a finding: the candidate crashed, never came back, or
/// left. Only if the answers are not done.
Finding cause_of_death(const WorkerRun& run, double case_time_limit_s);

/// Set if the worker ran out of time in work of its own, between two calls of a candidate: no
/// candidate is to blame. Judging, that is drawing inputs, computing the reference and comparing;
/// timing, it is drawing the inputs of a size.
std::optional<Error> own_timeout(const WorkerRun& run);

/// What the candidate printed: on its standard output, then on its standard error.
std::string output_of(const Finished& process);

}  // namespace kata
