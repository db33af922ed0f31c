#include "practice/record.h"

#include <algorithm>
#include <optional>

#include "practice/review.h"
#include "practice/state.h"

namespace kata {
namespace {

/// The grade of a check that passed, where it counts as a review: the operator is new or due, and
/// the code is not that which was graded last, unless it was written again after a reset. A check
/// that fails is no review: its author is still at work. No clock ran, so nothing is easy.
std::optional<Grade> grade_for(const History& history, const Attempt& attempt) {
  if (attempt.verdict != Verdict::pass) return {};
  auto before = history.attempts(attempt.operator_name);
  if (!before) return {};
  std::erase_if(*before, [&](const Attempt& one) { return one.id == attempt.id; });
  const auto graded = std::find_if(before->rbegin(), before->rend(),
                                   [](const Attempt& one) { return one.grade.has_value(); });
  if (graded != before->rend()) {
    if (standing_of(*before)->due_day > day_of(attempt.at)) return {};
    const auto since = history.events(attempt.operator_name, graded->at);
    const bool was_reset = since && std::any_of(since->begin(), since->end(), [](const Event& one) {
                             return one.kind == Event::Kind::reset;
                           });
    const bool same = same_code(graded->text.value_or(""), attempt.text.value_or(""));
    if (same && !was_reset) return {};
  }
  return grade_of({.verdict = Verdict::pass,
                   .solution_seen = attempt.solution_seen,
                   .hints = attempt.hints,
                   .of_best = attempt.of_best});
}

Recorded bring_up_to_date(History& history, std::int64_t id, Attempt attempt) {
  const auto kept = history.attempt(id);
  if (!kept || !*kept) return {id, history.notice()};  // another terminal has removed it
  attempt.id = id;
  attempt.at = (*kept)->at;
  attempt.hints = (*kept)->hints;
  attempt.solution_seen = (*kept)->solution_seen;
  if ((*kept)->path.empty()) attempt.grade = grade_for(history, attempt);
  const auto error = history.complete(attempt);
  return {id, error ? error->message : history.notice()};
}

}  // namespace

Recorded record(const Report& report, AttemptKind kind, const Candidate& candidate,
                std::int64_t kept_as) {
  Result<History> history = History::open();
  if (!history) return {.remark = history.error().message};
  Attempt attempt = attempt_from(report, kind, candidate.text);
  if (kept_as != 0) return bring_up_to_date(*history, kept_as, std::move(attempt));
  attempt.at = now();
  if (candidate.is_exercise) {
    const Help help = help_taken(*history, attempt.operator_name, attempt.at);
    attempt.hints = help.hints;
    attempt.solution_seen = help.solution_seen;
    attempt.grade = grade_for(*history, attempt);
  } else {
    std::error_code failed;
    attempt.path = std::filesystem::absolute(candidate.path, failed);
  }
  const auto id = history->add(attempt);
  if (!id) return {.remark = id.error().message};
  return {*id, history->notice()};
}

}  // namespace kata
