#include "grading/spawn.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <random>

#include "support/paths.h"
#include "support/temporary_folder.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

/// A worker ends a case that takes too long by itself. If it is prevented, it is ended after this.
constexpr double grace_s = 5;

/// "during case 255 normal"
std::string when(const std::optional<Current>& current) {
  if (!current) return "after its last case";
  switch (current->stage) {
    case Stage::loading:
      return "while its module was loaded";
    case Stage::judging:
      return "during case " + current->what;
    case Stage::timing:
      return "while the worker timed " + current->what;
    case Stage::profiling:
      break;
  }
  return "while the worker profiled it";
}

Finding timeout(const std::optional<Current>& what, double limit_s) {
  return {.kind = FindingKind::timeout,
          .message = fmt::format("the candidate did not return within {:g} s {}: an endless "
                                 "loop, or threads that wait for each other",
                                 limit_s, when(what))};
}

/// A number that a candidate cannot guess.
std::string make_token() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x} ", random(), random(), random(), random());
}

Result<WorkerRun> start_worker(Backend backend, Job job, ProcessOptions options,
                               double own_limit_s = 0) {
  const fs::path program = worker_program(backend);
  std::error_code failed;
  if (!fs::exists(program, failed)) {
    return Error{fmt::format("{} is missing; build it: cmake --build {}", shown(program),
                             shown(program_folder()))};
  }
  WorkerRun result;
  result.answers.token = job.token = make_token();
  options.arguments.insert(options.arguments.begin(), program.string());
  options.input = to_json_text(job);
  options.on_answer = [&](const std::string& line) { result.answers.read(line); };
  if (!options.interactive)
    options.silence_limit_s = [&] {
      return longest_silence_s(result.answers, job.time_limit_s, own_limit_s);
    };
  Result<Finished> finished = run(options);
  if (!finished) return finished.error();
  if (finished->interrupted) return Error{"interrupted"};
  result.process = std::move(*finished);
  return result;
}

}  // namespace

const char* describe_signal(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault: the host code used an invalid pointer, or its stack overflowed";
    case SIGBUS:
      return "bus error: the host code used an invalid pointer";
    case SIGFPE:
      return "arithmetic fault: an integer divided by zero?";
    case SIGILL:
      return "illegal instruction: a function that ends without a return, or __builtin_trap?";
    case SIGABRT:
      return "abort(): a failed assert, an uncaught exception, or a damaged heap";
    case SIGXFSZ:
      return "it wrote a file of more than 64 MiB";
    case SIGKILL:
      return "killed: was the machine's memory full?";
    default:
      return "ended by a signal";
  }
}

std::filesystem::path worker_program(Backend backend) {
  return program_folder() / (backend == Backend::gpu ? "kata-worker-gpu" : "kata-worker-emulator");
}

double longest_silence_s(const Answers& answers, double time_limit_s, double own_limit_s) {
  return answers.judge_works && own_limit_s > 0 ? own_limit_s : time_limit_s + grace_s;
}

Result<WorkerRun> run_worker(Backend backend, const Job& job, double time_limit_s,
                             double own_limit_s) {
  const TemporaryFolder folder;
  return start_worker(backend, job,
                      {.arguments = {},
                       .environment = {{"TMPDIR", folder.path()}},
                       .folder = folder.path(),
                       .time_limit_s = time_limit_s},
                      own_limit_s);
}

Result<WorkerRun> run_program_worker(const Job& job, const std::vector<std::string>& arguments) {
  return start_worker(Backend::emulator, job, {.arguments = arguments, .interactive = true});
}

Finding cause_of_death(const WorkerRun& run, double case_time_limit_s) {
  const std::optional<Current>& current = run.answers.current;
  const std::optional<Death>& death = run.answers.death;
  if (run.process.timed_out || (death && death->signal == SIGALRM)) {
    Finding finding = timeout(current, case_time_limit_s);
    if (death) {
      finding.file = death->file;
      finding.line = death->line;
    }
    return finding;
  }
  Finding finding{.kind = FindingKind::crash, .message = {}};
  const int signal = death ? death->signal : run.process.signal;
  if (signal == 0) {
    finding.message = fmt::format(
        "the candidate ended the process (exit status {}) {}, or closed file descriptors that are "
        "not its own: the host function must return",
        run.process.exit_status, when(current));
    return finding;
  }
  finding.message =
      fmt::format("the candidate crashed {} ({})", when(current), describe_signal(signal));
  if (death) {
    finding.file = death->file;
    finding.line = death->line;
  }
  return finding;
}

std::optional<Error> own_timeout(const WorkerRun& run) {
  const Answers& answers = run.answers;
  if (!run.process.timed_out || answers.death || !answers.judge_works) return {};
  if (!answers.current || answers.current->stage != Stage::judging) {
    return Error{"kata needs too long to draw inputs to time: a fault of kata, not of a candidate"};
  }
  return Error{
      fmt::format("kata needs too long to judge case {}: a fault of kata, not of the candidate",
                  answers.current->what)};
}

std::string output_of(const Finished& process) {
  std::string text = process.output;
  if (!process.errors.empty()) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += process.errors;
  }
  return text;
}

}  // namespace kata
