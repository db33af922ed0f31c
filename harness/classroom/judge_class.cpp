#include "classroom/judge_class.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "report/json.h"
#include "support/files.h"
#include "support/parallel.h"
#include "support/paths.h"
#include "support/process.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

using Json = nlohmann::json;

fs::path place_of(const ClassRun& run, const HandIn& submission) {
  const std::string options = to_string(run.version) + rules_text(run.rules);
  return run.kept / (content_key(submission, options) + ".json");
}

std::optional<JudgedHandIn> kept_outcome(const fs::path& place, const HandIn& submission) {
  const std::optional<std::string> text = read_file(place);
  const Json json = Json::parse(text.value_or(""), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return {};
  std::optional<Report> report = report_from_json_text(json.value("report", Json()).dump());
  if (!report) return {};
  return JudgedHandIn{submission, std::move(*report), json.value("seconds", 0.0)};
}

std::optional<Error> keep(const fs::path& place, const JudgedHandIn& outcome) {
  const Json json = {{"seconds", outcome.seconds}, {"report", outcome.report}};
  const std::string failed =
      write_file(place, json.dump(1, ' ', false, Json::error_handler_t::replace));
  if (failed.empty()) return {};
  return Error{fmt::format("cannot write {}: {}", shown(place), failed)};
}

std::size_t count_done(const ClassRun& run) {
  std::error_code ignored;
  return static_cast<std::size_t>(
      std::count_if(run.submissions.begin(), run.submissions.end(),
                    [&](const HandIn& one) { return fs::exists(place_of(run, one), ignored); }));
}

/// The command in a shell of the node; %SLURM's own number says which submission.
std::string task_script(const std::vector<std::string>& again) {
  std::string script = "exec";
  for (const std::string& word : again) script += " " + shell_word(word);
  return script + " --only \"$SLURM_ARRAY_TASK_ID\"";
}

}  // namespace

std::optional<Error> judge_one(const ClassRun& run, std::size_t index) {
  if (index >= run.submissions.size()) return Error{"there is no submission of that number"};
  const HandIn& submission = run.submissions[index];
  const fs::path place = place_of(run, submission);
  if (kept_outcome(place, submission)) return {};
  const JudgedHandIn outcome = judge_submission(submission, run.rules);
  if (interrupted()) return Error{"interrupted"};
  return keep(place, outcome);
}

Result<std::vector<JudgedHandIn>> judge_class(const ClassRun& run) {
  std::mutex mutex;
  std::size_t done = 0;
  std::optional<Error> failed;
  const auto judge = [&](std::size_t i) {
    if (interrupted()) return;
    const std::optional<Error> error = judge_one(run, i);
    const std::lock_guard lock(mutex);
    if (error) failed = error;
    if (run.progress) run.progress(++done);
  };
  in_parallel(run.submissions.size(), judge, run.jobs);
  if (interrupted()) return Error{"interrupted. Repeat the command to go on"};
  if (failed) return *failed;
  std::vector<JudgedHandIn> outcomes;
  for (const HandIn& one : run.submissions) {
    std::optional<JudgedHandIn> outcome = kept_outcome(place_of(run, one), one);
    if (!outcome) return Error{"what was kept of " + one.title() + " is gone: repeat the command"};
    outcomes.push_back(std::move(*outcome));
  }
  return outcomes;
}

std::optional<Error> judge_in_slurm(const ClassRun& run, const std::string& options,
                                    const std::vector<std::string>& again) {
  if (find_program("sbatch").empty())
    return Error{"there is no sbatch here: is this a Slurm cluster?"};
  if (count_done(run) == run.submissions.size()) return {};
  const std::string name = fmt::format("kata-grade-{}", getpid());
  std::vector<std::string> command{"sbatch",
                                   "--wait",
                                   "--quiet",
                                   "--output=/dev/null",
                                   "--job-name=" + name,
                                   fmt::format("--array=0-{}", run.submissions.size() - 1)};
  std::istringstream words(options);
  for (std::string word; words >> word;) command.push_back(word);
  command.insert(command.end(), {"--wrap", task_script(again)});
  const int clock = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  const itimerspec often{{2, 0}, {2, 0}};
  timerfd_settime(clock, 0, &often, nullptr);
  const auto look = [&] {
    std::uint64_t ticks = 0;
    [[maybe_unused]] const ssize_t ignored = read(clock, &ticks, sizeof ticks);
    if (run.progress) run.progress(count_done(run));
    return false;
  };
  const Result<Finished> finished =
      kata::run({.arguments = command,
                 .wake_on = [clock] { return std::vector<int>{clock}; },
                 .on_wake = look});
  close(clock);
  if (!finished) return finished.error();
  if (finished->interrupted) {
    kata::run({.arguments = {"scancel", "--name=" + name}});
    return Error{"interrupted. Repeat the command to go on"};
  }
  const std::size_t missing = run.submissions.size() - count_done(run);
  if (missing == 0) return {};
  return Error{
      fmt::format("Slurm left {} submissions without a result. Repeat the command to go on",
                  missing),
      finished->errors};
}

}  // namespace kata
