#include "worker/serve.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "judge/judge.h"
#include "worker/answers.h"
#include "worker/signals.h"

namespace kata {
namespace {

constexpr int answer_pipe = 3;

/// Moves the answers' pipe to a number that no candidate would guess; -1 if there is none.
int take_answer_pipe() {
  const int descriptor = fcntl(answer_pipe, F_DUPFD_CLOEXEC, 200);
  if (descriptor >= 0) close(answer_pipe);
  return descriptor;
}

std::string read_standard_input() {
  std::string text;
  char buffer[1 << 16];
  for (ssize_t n; (n = read(STDIN_FILENO, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

/// What a candidate gets: no standard input, its output line by line (a crash loses none of it),
/// no core file, no file larger than 64 MiB, no new privileges. Address space has no limit: CUDA
/// reserves a great deal of it.
void confine() {
  if (const int nothing = open("/dev/null", O_RDONLY); nothing >= 0) {
    dup2(nothing, STDIN_FILENO);
    close(nothing);
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
  const rlimit no_core{0, 0}, small_files{64 << 20, 64 << 20};
  setrlimit(RLIMIT_CORE, &no_core);
  setrlimit(RLIMIT_FSIZE, &small_files);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  // Where the machine's memory is full, this process is the one to go.
  if (const int score = open("/proc/self/oom_score_adj", O_WRONLY); score >= 0) {
    [[maybe_unused]] const ssize_t ignored = write(score, "1000", 4);
    close(score);
  }
}

/// Cases of the job: the shapes that it names, with its values, else the usual ones. Who names a
/// shape alone gets the inputs that the whole check has there, so that what failed fails again.
std::vector<Case> cases_of(const Job& job, const Problem& problem) {
  std::vector<Case> usual = usual_cases(problem, job.seed, job.all_cases), cases;
  if (job.shapes.empty()) return usual;
  std::ranges::copy(problem.large_cases, std::back_inserter(usual));
  for (const Shape& shape : job.shapes) {
    const std::size_t before = cases.size();
    if (!job.values)
      std::ranges::copy_if(usual, std::back_inserter(cases),
                           [&](const Case& one) { return one.shape == shape; });
    if (cases.size() == before)
      cases.push_back({shape, job.values.value_or(Values::normal), job.reals});
  }
  return cases;
}

/// A GPU also gets the large ones that are not `repeated`.
void add_large(const Problem& problem, const std::vector<RepeatedCase>& repeated,
               std::vector<Case>& cases) {
  std::ranges::copy_if(problem.large_cases, std::back_inserter(cases), [&](const Case& one) {
    return std::ranges::find(repeated, one, &RepeatedCase::whole) == repeated.end();
  });
  const double most = work(problem, largest(problem, cases));
  for (const Case& one : grid_limit_cases(problem)) {
    if (work(problem, one) <= most) cases.push_back(one);
  }
}

/// Takes away the cases for more devices than there are, which the emulator has. Says so. How many
/// of the first `usual` ones went.
std::size_t leave_out_devices(const Problem& problem, const Device& device, std::size_t usual,
                              std::vector<Case>& cases, const AnswerWriter& answers) {
  const auto too_many = [&](const Case& one) {
    return devices_of(problem, one.shape) > device.devices();
  };
  const auto of_usual = std::ranges::count_if(std::span(cases).first(usual), too_many);
  const std::size_t left_out = std::erase_if(cases, too_many);
  if (left_out == 0) return 0;
  answers.found({.kind = FindingKind::unsupported,
                 .severity = Severity::warning,
                 .message = fmt::format("{} cases need more GPUs than the {} of this machine: only "
                                        "the emulator runs them",
                                        left_out, device.devices())});
  return static_cast<std::size_t>(of_usual);
}

/// Large arrays of one case become those of the next: fresh pages take as long as what is computed.
void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

/// The entry function in a copy of the module: with variables of its own. Null if it fails.
void* load_fresh_entry(const std::filesystem::path& module, const std::string& entry) {
  const int copy = memfd_create("module", MFD_CLOEXEC);
  const int original = open(module.c_str(), O_RDONLY | O_CLOEXEC);
  if (copy < 0 || original < 0) return nullptr;
  while (sendfile(copy, original, nullptr, 1 << 30) > 0) {
  }
  close(original);
  // The copy stays open: its name must not come to mean another one.
  const Result<void*> function = load_entry(fmt::format("/proc/self/fd/{}", copy), entry);
  return function ? *function : nullptr;
}

/// A candidate that ends the process at an error, as its CHECK macro does: what led to that error
/// is told nevertheless.
void tell_findings_at_exit(Device& device, const AnswerWriter& answers) {
  static std::function<void()> tell;
  tell = [&] {
    for (const Finding& finding : device.take_findings()) answers.found(finding);
  };
  std::atexit([] { tell(); });
}

void judge_job(const Job& job, const Problem& problem, Device& device, const WorkerBackend& backend,
               const AnswerWriter& answers) {
  answers.started(Stage::loading, "");
  set_watchdog(job.time_limit_s);
  const Result<void*> entry = load_entry(job.module, job.entry);
  set_watchdog(0);
  if (!entry) return answers.failed(entry.error());
  tell_findings_at_exit(device, answers);
  double left_s = 0;  // of the case's limit
  bool samples = false;
  const auto start = [&](const Case& one_case, double limit_s) {
    answers.started(name_of(problem, one_case), one_case);
    left_s = limit_s;
    samples = false;
  };
  // A size that a person asked for may need any time.
  const auto start_work = [&](const Case& one_case) {
    start(one_case, job.time_limit_s);
    if (job.shapes.empty()) device.expect_work(work(problem, one_case));
  };
  const JudgeEvents events{.started = start_work,
                           .finished = [&](const CaseResult& result) { answers.finished(result); },
                           .found = [&](const Finding& finding) { answers.found(finding); },
                           .counted =
                               [&](const Case& counted, const std::vector<KernelRecord>& kernels) {
                                 answers.counted(name_of(problem, counted), counted.shape, kernels);
                               },
                           .stopped = [&](int cases_not_run) { answers.stopped(cases_not_run); },
                           .takes_too_long = [&] { answers.takes_too_long(); },
                           .tried =
                               [&](const Case& one_case, double limit_s) {
                                 start(one_case, limit_s);
                                 answers.tries();
                               },
                           .sampled =
                               [&](const Case& one_case) {
                                 start_work(one_case);
                                 answers.samples();
                                 samples = true;
                               }};
  const bool own_sizes = job.shapes.empty(), large = device.runs_large_cases();
  // On several devices all kernels run, and whole: they may wait for each other.
  const bool on_one_device = !uses_devices(problem);
  const std::vector<RepeatedCase> repeated =
      own_sizes && large && on_one_device ? repeated_cases(problem) : std::vector<RepeatedCase>{};
  const bool looks_at_largest =
      on_one_device && job.kind == Job::Kind::judge_large && job.checked && !job.for_unreached;
  std::vector<Case> launches, near_launches;
  if (looks_at_largest) {
    launches = cases_of_launches(problem, job.seed);
    for (const Shape& shape : job.near_launches) near_launches.push_back({shape});
  } else if (own_sizes && !large && on_one_device) {
    launches = launch_cases(problem);
  }
  const auto tell_code = [&](bool in_samples) {
    if (backend.lines && job.checked) answers.code(backend.lines(*entry), in_samples);
  };
  std::vector<Case> maximum;
  if (looks_at_largest) {
    maximum = maximum_cases(problem, job.largest_near);
    std::ranges::copy(drawn_maximum_cases(problem, job.seed), std::back_inserter(maximum));
  }
  const JudgeOptions options{.all_cases = job.all_cases,
                             .first_case = job.first_case,
                             .end_case = job.end_case,
                             .launches = std::move(launches),
                             .launches_first = std::move(near_launches),
                             .maximum = std::move(maximum),
                             .repeated = repeated,
                             .before_call =
                                 [&] {
                                   answers.calls();
                                   // A slow kernel is not an endless one.
                                   set_watchdog(std::max(0.1, left_s), job.patient && !samples);
                                 },
                             .after_call =
                                 [&] {
                                   left_s = set_watchdog(0);
                                   answers.returned();
                                 },
                             .before_samples = [&] { tell_code(false); },
                             .reload = [&] { return load_fresh_entry(job.module, job.entry); }};
  try {
    if (job.kind == Job::Kind::judge_large) {
      keep_freed_memory();
      const LargeCases cases =
          job.for_unreached ? cases_for_unreached(problem)
          : job.checked     ? cases_called_once(problem, job.seed, job.past_thresholds, job.periods)
                            : large_cases(problem, job.seed, job.near_constants, job.periods);
      judge_large(problem, *entry, cases, job.seed, device, events, options);
    } else {
      std::vector<Case> cases = cases_of(job, problem);
      const std::size_t usual = cases.size();
      if (own_sizes && large) add_large(problem, repeated, cases);
      answers.expects(usual - leave_out_devices(problem, device, usual, cases, answers));
      const bool right = judge(problem, *entry, cases, job.seed, device, events, options);
      if (right && own_sizes && large && on_one_device)
        judge_large(problem, *entry, drawn_cases_for_gpu(problem, job.seed), job.seed, device,
                    events, options);
    }
    tell_code(looks_at_largest);
  } catch (const ProblemFault& fault) {
    answers.failed({fmt::format("problem {}: {}", problem.name, fault.what())});
  }
}

void time_job(const Job& job, const Problem& problem, const WorkerBackend& backend,
              const AnswerWriter& answers) {
  const TimeEvents events{.turn =
                              [&](const std::string& what) {
                                answers.started(Stage::timing, what);
                                set_watchdog(job.time_limit_s);
                              },
                          .ended =
                              [&] {
                                set_watchdog(0);
                                answers.returned();
                              },
                          .row = [&](const TimingRow& row) { answers.timed(row); }};
  if (const auto error = backend.time(job, problem, events)) answers.failed(*error);
}

void profile_job(const Job& job, const Problem& problem, const WorkerBackend& backend,
                 const AnswerWriter& answers) {
  if (!backend.profile) return answers.failed({"this worker profiles nothing"});
  if (job.shapes.empty()) return answers.failed({"a profile needs a shape"});
  answers.started(Stage::profiling, "");
  set_watchdog(job.time_limit_s);
  const Result<std::vector<LaunchProfile>> launches = backend.profile(job, problem);
  return launches ? answers.profiled(*launches) : answers.failed(launches.error());
}

void work(const Job& job, const WorkerBackend& backend, const AnswerWriter& answers) {
  if (job.kind == Job::Kind::run) return answers.failed({"this worker runs no programs"});
  if (job.kind == Job::Kind::probe) {
    if (!backend.probe) return answers.failed({"this worker has no GPU to ask"});
    const Result<GpuInfo> info = backend.probe();
    return info ? answers.gpu(*info) : answers.failed(info.error());
  }
  const Problem* problem = find_problem(job.operator_name);
  if (!problem) return answers.failed({"this worker knows no operator " + job.operator_name});
  if (job.kind == Job::Kind::profile) {
    if (uses_devices(*problem))
      return answers.failed({"operators on several devices are not counted or estimated yet"});
    return profile_job(job, *problem, backend, answers);
  }
  Result<std::unique_ptr<Device>> device = backend.open_device(job);
  if (!device) return answers.failed(device.error());
  answers.device((*device)->name());
  if (job.kind != Job::Kind::time) return judge_job(job, *problem, **device, backend, answers);
  if (!backend.time) return answers.failed({"this worker has no clock to trust"});
  time_job(job, *problem, backend, answers);
}

}  // namespace

Result<void*> load_entry(const std::filesystem::path& module, const std::string& entry) {
  void* library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return Error{"the compiled module does not load", dlerror()};
  void* function = dlsym(library, entry.c_str());
  if (!function) return Error{"the compiled module has no function " + entry, dlerror()};
  return function;
}

int serve(const WorkerBackend& backend) {
  const int descriptor = take_answer_pipe();
  if (descriptor < 0) {
    static constexpr std::string_view usage =
        "This program is started by kata, which gives it a job and reads its answers.\n";
    return write(STDERR_FILENO, usage.data(), usage.size()) < 0 ? 1 : 2;
  }
  const Result<Job> job = job_from_json_text(read_standard_input());
  const AnswerWriter answers(descriptor, job ? job->token : "");
  if (job && job->kind == Job::Kind::run && backend.run) backend.run(*job, descriptor);
  confine();
  if (job) {
    report_deaths(descriptor, job->token, backend.code);
    work(*job, backend, answers);
  } else {
    answers.failed(job.error());
  }
  set_watchdog(0);
  answers.done();
  std::fflush(nullptr);
  _exit(0);  // destructors of the candidate's globals have nothing to add
}

}  // namespace kata
