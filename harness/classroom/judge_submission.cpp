#include "classroom/judge_submission.h"

#include <fmt/format.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "classroom/process_use.h"
#include "classroom/sandbox.h"
#include "compile/precompiled.h"
#include "compile/toolchain.h"
#include "report/json.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/temporary_folder.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

constexpr std::size_t most_output = std::size_t{1} << 26;

Report failed_report(const std::string& why) {
  Report report;
  report.verdict = Verdict::error;
  report.error = why;
  return report;
}

/// A folder that only this submission's processes see.
struct Desk {
  fs::path work = {}, home = {}, cache = {};
  fs::path file = {};     ///< the candidate in `work`
  std::string from = {};  ///< where `work` stands for in what a person reads
};

std::error_code lay_out(const HandIn& submission, const fs::path& folder, Desk& desk) {
  desk = {.work = folder / "work", .home = folder / "home", .cache = folder / "cache"};
  std::error_code failed;
  for (const fs::path& one : {desk.work, desk.home, desk.cache})
    fs::create_directories(one, failed);
  if (submission.folder.empty()) {
    desk.from = submission.file.parent_path().string();
    desk.file = desk.work / submission.file.filename();
    fs::copy_file(submission.file, desk.file, failed);
  } else {
    desk.from = submission.folder.string();
    desk.file = desk.work / submission.file.lexically_relative(submission.folder);
    fs::copy(submission.folder, desk.work,
             fs::copy_options::recursive | fs::copy_options::skip_symlinks, failed);
  }
  // What every compilation needs is shared; in the sandbox only to read.
  std::error_code ignored;
  fs::create_directory_symlink(cache_folder() / "precompiled", desk.cache / "precompiled", ignored);
  return failed;
}

std::vector<std::string> command_for(const Desk& desk, const ClassRules& rules) {
  std::vector<std::string> check{(program_folder() / "kata").string(),
                                 "check",
                                 desk.file.string(),
                                 "--json",
                                 "--plain",
                                 "--backend",
                                 rules.backend,
                                 "--seed",
                                 std::to_string(rules.seed)};
  if (rules.backend == "emulator") check.push_back("--no-ladder");
  if (rules.as_change) check.push_back("--as-change");
  if (!rules.operator_name.empty()) check.insert(check.end(), {"--operator", rules.operator_name});
  if (rules.sandbox) {
    check = sandboxed({.hidden = rules.hidden,
                       .shown = {root(), program_folder(), cache_folder()},
                       .writable = {desk.work.parent_path()}},
                      check);
  }
  std::vector<std::string> command{"sh", "-c", "echo $$ >&3; exec \"$@\" 3>&-", "sh"};
  command.insert(command.end(), check.begin(), check.end());
  return command;
}

/// With the paths of the submission as it was handed in.
std::optional<Report> report_in(std::string json, const Desk& desk) {
  const std::string from = desk.work.string();
  for (std::size_t at = 0; (at = json.find(from, at)) != std::string::npos; at += desk.from.size())
    json.replace(at, from.size(), desk.from);
  return report_from_json_text(json);
}

/// What every compilation starts from; a sandbox can only read it.
std::optional<Error> precompile(const ClassRules& rules) {
  if (rules.backend != "emulator") return {};
  const Result<Toolchain> toolchain = emulator_toolchain(/*instrumented=*/true);
  if (!toolchain) return toolchain.error();
  const auto made = precompiled_header(*toolchain);
  return made ? std::nullopt : std::optional(made.error());
}

/// What a submission may take. Time in which it waits for a processor does not count: others use
/// the machine, too.
class SubmissionLimits {
 public:
  explicit SubmissionLimits(const ClassRules& rules) : rules_(rules) {
    const timespec pause{0, static_cast<long>(1e9 * look_s)};
    const itimerspec often{pause, pause};
    timerfd_settime(clock_, 0, &often, nullptr);
  }
  ~SubmissionLimits() { close(clock_); }
  SubmissionLimits(const SubmissionLimits&) = delete;
  SubmissionLimits& operator=(const SubmissionLimits&) = delete;

  /// When it has something to read, ask whether they are exceeded.
  int clock() const { return clock_; }
  bool are_exceeded(pid_t process) {
    std::uint64_t ticks = 0;
    [[maybe_unused]] const ssize_t ignored = read(clock_, &ticks, sizeof ticks);
    const ProcessUse use = use_of(process);
    megabytes_ = std::max(megabytes_, use.megabytes);
    processor_s_ = std::max(processor_s_, use.processor_s);
    asleep_s_ += use.sleeps ? look_s * static_cast<double>(ticks) : 0;
    return !exceeded().empty();
  }
  /// Which one; empty: none.
  std::string exceeded() const {
    if (megabytes_ > rules_.megabytes)
      return fmt::format("it used more than {} MB of memory", rules_.megabytes);
    if (processor_s_ + asleep_s_ > rules_.seconds)
      return fmt::format("stopped after {:g} s; an endless loop?", rules_.seconds);
    return {};
  }

 private:
  static constexpr double look_s = 0.2;
  const ClassRules& rules_;
  const int clock_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  std::uint64_t megabytes_ = 0;
  double processor_s_ = 0, asleep_s_ = 0;
};

Report run_check(const HandIn& submission, const ClassRules& rules) {
  if (submission.file.empty()) return failed_report("the folder has no .cu file");
  const TemporaryFolder temporary;
  std::error_code failed;
  Desk desk;
  if (lay_out(submission, fs::canonical(temporary.path(), failed), desk) || failed)
    return failed_report("the submission cannot be copied");
  if (const auto error = precompile(rules)) return failed_report(error->message);
  pid_t process = 0;
  SubmissionLimits limits(rules);
  const std::vector<std::pair<std::string, std::string>> environment{
      {"KATA_HOME", desk.home},
      {"KATA_CACHE", rules.sandbox ? desk.cache : cache_folder()},
      {"TMPDIR", desk.work.parent_path()}};
  const Result<Finished> finished =
      run({.arguments = command_for(desk, rules),
           .environment = environment,
           .folder = desk.work,
           .output_limit = most_output,
           .on_answer = [&](const std::string& line) { process = std::atoi(line.c_str()); },
           .wake_on = [&] { return std::vector<int>{limits.clock()}; },
           .on_wake = [&] { return limits.are_exceeded(process); }});
  if (!finished) return failed_report(finished.error().message);
  if (const std::string why = limits.exceeded(); !why.empty()) return failed_report(why);
  std::optional<Report> report = report_in(finished->output, desk);
  if (report) return std::move(*report);
  const std::string said = finished->errors.substr(0, finished->errors.find('\n'));
  return failed_report(said.empty() ? "it ended kata check" : "kata check gave no report: " + said);
}

}  // namespace

std::string rules_text(const ClassRules& rules) {
  return fmt::format("{} {} {} {} {} {}", rules.operator_name, rules.backend, rules.seed,
                     rules.seconds, rules.megabytes, rules.sandbox);
}

JudgedHandIn judge_submission(const HandIn& submission, const ClassRules& rules) {
  const auto start = std::chrono::steady_clock::now();
  Report report = run_check(submission, rules);
  if (report.candidate.empty()) report.candidate = submission.file.string();
  if (report.operator_name.empty()) report.operator_name = rules.operator_name;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return {submission, std::move(report), took.count()};
}

}  // namespace kata
