#include "practice/review.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <tuple>

#include "practice/path.h"

namespace kata {
namespace {

constexpr double easy_share_of_time = 0.5;
constexpr double easy_share_of_best = 0.8, hard_share_of_best = 0.25;
constexpr auto longest_sitting = std::chrono::hours(24);

int place(const std::vector<std::string>& order, const std::string& word) {
  return static_cast<int>(std::find(order.begin(), order.end(), word) - order.begin());
}

std::string days(int number) {
  return number == 1 ? "1 day" : fmt::format("{} days", number);
}

std::string why_due(const Standing& standing, int today) {
  const int since = today - day_of(standing.graded);
  const std::string late = standing.due_day == today
                               ? "due today"
                               : fmt::format("due since {}", date_of(standing.due_day));
  return fmt::format("{}: graded {} {} ago, and remembered with a probability of {:.0f} % now",
                     late, to_string(standing.grade), days(since), 100 * standing.recall(today));
}

}  // namespace

int day_of(Time time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm local = fmt::localtime(seconds);
  local.tm_isdst = 0;
  return static_cast<int>(timegm(&local) / 86400);
}

std::string date_of(int day) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time_t{day} * 86400));
}

double Standing::recall(int today) const {
  return fsrs::retrievability(memory, today - day_of(graded));
}

Standing graded(const std::optional<Standing>& before, Grade grade, Time at) {
  Standing after = before.value_or(Standing{});
  after.memory = before ? fsrs::next(before->memory, grade, day_of(at) - day_of(before->graded))
                        : fsrs::first(grade);
  after.grade = grade;
  after.graded = at;
  after.due_day = day_of(at) + fsrs::interval(after.memory);
  ++after.reviews;
  return after;
}

std::map<std::string, std::vector<AttemptOutcome>> by_operator(
    std::vector<AttemptOutcome> outcomes) {
  std::map<std::string, std::vector<AttemptOutcome>> groups;
  for (AttemptOutcome& one : outcomes) groups[one.operator_name].push_back(std::move(one));
  return groups;
}

Grade grade_of(const Performance& performance) {
  if (performance.verdict != Verdict::pass || performance.solution_seen) return Grade::again;
  const bool timed = performance.limit_s > 0;
  const bool late = timed && performance.worked_s > performance.limit_s;
  const bool slow = timed && performance.of_best > 0 && performance.of_best < hard_share_of_best;
  if (performance.hints > 0 || late || slow) return Grade::hard;
  const bool quick = timed && performance.worked_s <= easy_share_of_time * performance.limit_s;
  return quick && performance.of_best >= easy_share_of_best ? Grade::easy : Grade::good;
}

Help help_taken(const History& history, const std::string& operator_name, Time now) {
  Time since = now - longest_sitting;
  if (const auto attempts = history.outcomes(operator_name)) {
    if (const auto standing = standing_of(*attempts)) since = std::max(since, standing->graded);
  }
  Help help;
  const auto events = history.events(operator_name, since);
  if (!events) return help;
  for (const Event& event : *events) {
    if (event.kind == Event::Kind::reset) help = {};  // what was seen before it is another sitting
    if (event.kind == Event::Kind::hint) ++help.hints;
    if (event.kind == Event::Kind::solution) help.solution_seen = true;
  }
  return help;
}

std::vector<const Problem*> learning_order() {
  std::vector<const Problem*> order;
  for (const Problem& problem : problems()) order.push_back(&problem);
  const std::vector<Lesson> path = lessons();
  const auto rank = [&](const Problem* problem) {
    return std::tuple(std::ranges::find(path, problem, &Lesson::problem) - path.begin(),
                      place({"easy", "medium", "hard"}, problem->difficulty),
                      place({"very high", "high", "medium", "low"}, problem->frequency));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Problem* a, const Problem* b) { return rank(a) < rank(b); });
  return order;
}

Result<NextReview> next_review(const History& history, Time now,
                               const std::vector<std::string>& left_out) {
  auto attempts = history.outcomes();
  if (!attempts) return attempts.error();
  const auto groups = by_operator(std::move(*attempts));
  const int today = day_of(now);
  NextReview most_forgotten, newest, soonest;
  double least_recall = 1;
  for (const Problem* problem : learning_order()) {
    if (std::ranges::find(left_out, problem->name) != left_out.end()) continue;
    const auto group = groups.find(problem->name);
    const auto standing = group == groups.end() ? std::nullopt : standing_of(group->second);
    if (!standing) {
      if (!newest.problem) newest = {.problem = problem, .reason = "you have not solved it yet"};
      continue;
    }
    const double recall = standing->recall(today);
    if (standing->is_due(today) && (!most_forgotten.problem || recall < least_recall)) {
      most_forgotten = {problem, standing, true, why_due(*standing, today)};
      least_recall = recall;
    }
    if (!soonest.problem || standing->due_day < soonest.standing->due_day) {
      soonest = {
          problem, standing, false,
          fmt::format("nothing is due; this is the next, on {}", date_of(standing->due_day))};
    }
  }
  if (most_forgotten.problem) return most_forgotten;
  return newest.problem ? newest : soonest;
}

}  // namespace kata
