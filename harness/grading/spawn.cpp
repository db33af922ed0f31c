#include "grading/spawn.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <random>
#include <set>
#include <tuple>

#include "judge/judge.h"
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

Finding timeout(const std::optional<Current>& what, double limit_s, bool is_full) {
  return {.kind = FindingKind::timeout,
          .message =
              fmt::format("the candidate did not return within {:g} s {}: {}", limit_s, when(what),
                          is_full ? "no more blocks fit on the device, none of those on it "
                                    "ends, and others have not begun; do they wait for those?"
                                  : "an endless loop, or threads that wait for each other")};
}

/// A number that a candidate cannot guess.
std::string make_token() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x} ", random(), random(), random(), random());
}

Result<WorkerRun> start_worker(Backend backend, Job job, ProcessOptions options,
                               double own_limit_s = 0, const Noticed& noticed = {}) {
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
  options.on_answer = [&, also = std::move(options.on_answer)](const std::string& line) {
    const std::size_t before = result.answers.findings.size();
    result.answers.read(line);
    if (noticed && result.answers.findings.size() > before) noticed(result.answers.findings.back());
    if (also) also(line);
  };
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

/// In a folder of its own, which is deleted afterwards.
Result<WorkerRun> start_confined_worker(Backend backend, const Job& job, ProcessOptions options,
                                        double own_limit_s, const Noticed& noticed) {
  const TemporaryFolder folder;
  options.environment = {{"TMPDIR", folder.path()}};
  options.folder = folder.path();
  return start_worker(backend, job, std::move(options), own_limit_s, noticed);
}

/// Ends a process that another thread waits for.
class Cancellation {
 public:
  Cancellation() = default;
  ~Cancellation() { close(descriptor_); }
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  void now() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t ignored = write(descriptor_, &one, sizeof one);
  }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = eventfd(0, EFD_CLOEXEC);
};

/// Whether the cases after those of this worker are to be judged.
bool goes_on(const Result<WorkerRun>& run) {
  return run && run->answers.done && !run->answers.error && run->answers.cases_not_run == 0;
}

/// Adds the second worker's answers to those of the first, up to where one worker that judged all
/// would have stopped.
void append(const std::vector<std::string>& lines, const std::string& token, const Job& job,
            std::size_t cases, Answers& all) {
  all.token = token;
  all.done = false;
  for (const std::string& line : lines) {
    all.read(line);
    const auto failures = std::ranges::count_if(
        all.cases, [](const CaseResult& one) { return one.verdict != Verdict::pass; });
    const bool enough = failures >= most_failures && !job.all_cases;
    const bool launches_next = failures > 0 && all.cases.size() == cases;
    if (!enough && !launches_next) continue;
    all.cases_not_run = static_cast<int>(cases - all.cases.size());
    all.done = true;
    break;
  }
  drop_repeated(all.findings);
}

}  // namespace

void drop_repeated(std::vector<Finding>& findings) {
  std::set<std::tuple<FindingKind, std::string, int>> told;
  std::erase_if(findings, [&](const Finding& one) {
    return !told.emplace(one.kind, one.file, one.line).second;
  });
}

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

std::int64_t build_of(Backend backend) {
  std::error_code failed;
  const auto built = std::filesystem::last_write_time(worker_program(backend), failed);
  return failed ? 0 : built.time_since_epoch().count();
}

std::filesystem::path worker_program(Backend backend) {
  return program_folder() / (backend == Backend::gpu ? "kata-worker-gpu" : "kata-worker-emulator");
}

double longest_silence_s(const Answers& answers, double time_limit_s, double own_limit_s) {
  return answers.judge_works && own_limit_s > 0 ? own_limit_s : time_limit_s + grace_s;
}

Result<WorkerRun> run_worker(Backend backend, const Job& job, double time_limit_s,
                             double own_limit_s, const Noticed& noticed) {
  return start_confined_worker(backend, job, {.arguments = {}, .time_limit_s = time_limit_s},
                               own_limit_s, noticed);
}

Result<WorkerRun> judge_in_halves(const Job& job, const Problem& problem, const Halves& halves,
                                  double time_limit_s, double own_limit_s, const Noticed& noticed) {
  Job first = job, second = job;
  first.end_case = second.first_case = halves.middle;
  const Cancellation cancellation;
  std::vector<std::string> lines;
  std::future<Result<WorkerRun>> later = std::async(std::launch::async, [&] {
    const ProcessOptions options{
        .arguments = {},
        .time_limit_s = time_limit_s,
        .on_answer = [&](const std::string& line) { lines.push_back(line); },
        .wake_on = [&] { return std::vector{cancellation.descriptor()}; },
        .on_wake = [] { return true; }};
    return start_confined_worker(Backend::emulator, second, options, own_limit_s, noticed);
  });
  Result<WorkerRun> run = run_worker(Backend::emulator, first, time_limit_s, own_limit_s, noticed);
  if (!goes_on(run)) cancellation.now();
  Result<WorkerRun> rest = later.get();
  if (!goes_on(run)) return run;
  if (!rest) return rest.error();

  Answers all = run->answers;
  append(lines, rest->answers.token, job, halves.results, all);
  const auto counted_work = [&](const Answers& answers) {
    return answers.counted_shape.empty() ? 0 : work(problem, {answers.counted_shape});
  };
  if (counted_work(run->answers) > counted_work(rest->answers)) {
    all.counted_case = run->answers.counted_case;
    all.counted_shape = run->answers.counted_shape;
    all.kernels = run->answers.kernels;
  }
  rest->answers = std::move(all);
  rest->process.output = run->process.output + rest->process.output;
  rest->process.errors = run->process.errors + rest->process.errors;
  return rest;
}

Result<WorkerRun> run_program_worker(const Job& job, const std::vector<std::string>& arguments,
                                     double processor_limit_s) {
  return start_worker(
      Backend::emulator, job,
      {.arguments = arguments, .interactive = true, .processor_limit_s = processor_limit_s});
}

Finding cause_of_death(const WorkerRun& run, double case_time_limit_s) {
  const std::optional<Current>& current = run.answers.current;
  const std::optional<Death>& death = run.answers.death;
  if (run.process.timed_out || (death && death->signal == SIGALRM)) {
    Finding finding = timeout(current, case_time_limit_s, death && death->is_full);
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
