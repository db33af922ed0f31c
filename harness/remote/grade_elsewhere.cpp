#include "remote/grade_elsewhere.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "remote/answer.h"
#include "remote/job.h"
#include "support/paths.h"

namespace kata {
namespace {

/// What came back, of which one is set in the end.
struct Reply {
  std::optional<Report> report = {};
  std::optional<std::string> text = {};
  std::optional<Error> error = {};
};

Result<Reply> ask(const Place& place, const RemoteJob& job, const GradeRequest& request) {
  Reply answers;
  const auto on_answer = [&](const std::string& line) {
    Answer answer = answer_from_json(line);
    if (request.progress && !answer.progress.empty()) request.progress(answer.progress);
    if (request.right_so_far && answer.right_so_far) request.right_so_far(*answer.right_so_far);
    if (request.passed && answer.passed) request.passed(*answer.passed);
    if (answer.report) answers.report = std::move(answer.report);
    if (answer.text) answers.text = std::move(answer.text);
    if (answer.error) answers.error = std::move(answer.error);
  };
  const std::optional<Error> broken = converse(place, {.script = serve_script(place, true),
                                                       .job = to_json_line(job),
                                                       .progress = request.progress,
                                                       .on_answer = on_answer});
  if (answers.error) {
    return Error{place.name + ": " + answers.error->message, answers.error->detail};
  }
  if (broken) return *broken;
  return answers;
}

Result<Report> report_from(const Place& place, RemoteTask task, const GradeRequest& request) {
  const Result<RemoteJob> job = make_job(task, request);
  if (!job) return job.error();
  Result<Reply> answers = ask(place, *job, request);
  if (!answers) return answers.error();
  if (!answers->report) return explain(place, {.greeted = true});
  answers->report->candidate = shown(request.candidate.path);
  return std::move(*answers->report);
}

}  // namespace

Result<Report> grade_elsewhere(const Place& place, const GradeRequest& request) {
  if (untouched_stub_of(request.candidate)) return grade(request);
  return report_from(place, RemoteTask::check, request);
}

Result<Report> bench_elsewhere(const Place& place, const GradeRequest& request) {
  return report_from(place, RemoteTask::bench, request);
}

Result<std::string> profile_elsewhere(const Place& place, const GradeRequest& request, bool color) {
  Result<RemoteJob> job = make_job(RemoteTask::profile, request);
  if (!job) return job.error();
  job->color = color;
  const Result<Reply> answers = ask(place, *job, request);
  if (!answers) return answers.error();
  if (!answers->text) return explain(place, {.greeted = true});
  return *answers->text;
}

Result<std::string> gpu_elsewhere(const Place& place,
                                  const std::function<void(const std::string& what)>& progress) {
  const GradeRequest request{.progress = progress};
  const Result<Reply> answers = ask(place, {.request = request}, request);
  if (!answers) return answers.error();
  if (!answers->text) return explain(place, {.greeted = true});
  return *answers->text;
}

}  // namespace kata
