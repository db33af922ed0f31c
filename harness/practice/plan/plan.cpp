#include "practice/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "practice/drill/choose.h"
#include "practice/drill/quiz.h"
#include "practice/exercise/labels.h"
#include "practice/interview/interview.h"
#include "practice/review.h"
#include "support/date.h"

namespace kata {
namespace {

constexpr int minutes_a_card = 1, minutes_a_drill = 5;
constexpr int most_drills = 4;
constexpr int fewest_fresh_cards = 5;  ///< fill the rest of the day

/// What the history says of one exercise.
struct Progress {
  std::vector<AttemptOutcome> before;  ///< today
  bool passed_before = false, tried_before = false, passed_today = false, tried_today = false;

  /// Before today, or today without success so far: then it goes on today.
  bool is_begun() const { return tried_before || (tried_today && !passed_today); }
};

std::map<std::string, Progress> progress_of(const std::vector<AttemptOutcome>& attempts,
                                            int today) {
  std::map<std::string, Progress> all;
  for (const AttemptOutcome& attempt : attempts) {
    if (!attempt.verdict) continue;
    Progress& one = all[attempt.operator_name];
    const bool passed = attempt.verdict == Verdict::pass;
    if (day_of(attempt.at) >= today) {
      one.passed_today = one.passed_today || passed;
      one.tried_today = true;
      continue;
    }
    one.tried_before = true;
    one.passed_before = one.passed_before || passed;
    one.before.push_back(attempt);
  }
  return all;
}

/// A thing that could be done today; the greater its rank, the sooner.
struct Choice {
  enum class Kind { fresh, review, begun };  ///< in ascending order of urgency
  PlanItem item;
  Kind kind = Kind::fresh;
  double weight = 0;
};

Choice choice_of(const Problem& problem, const Progress& progress, int today) {
  Choice choice{.item = {.problem = &problem,
                         .minutes = default_minutes(problem),
                         .reason = fmt::format("new, asked: {}", problem.frequency),
                         .done = progress.passed_today},
                .weight = tickets(problem)};
  if (const auto standing = standing_of(progress.before)) {
    choice.kind = Choice::Kind::review;
    choice.item.again = true;
    choice.weight *= 1 - standing->recall(today);
    choice.item.reason = fmt::format("due since {}, last graded {}", date_of(standing->due_day),
                                     to_string(standing->grade));
    if (!standing->is_due(today)) choice.weight = -1;
  } else if (progress.passed_before) {
    choice.weight = -1;
  } else if (progress.is_begun()) {
    choice.kind = Choice::Kind::begun;
    choice.item.reason = "begun, does not pass yet";
  }
  return choice;
}

std::vector<Choice> choices_of(const PlanRequest& request,
                               const std::map<std::string, Progress>& progress, int today) {
  std::vector<Choice> choices;
  for (const Problem* problem : request.problems) {
    const auto found = progress.find(problem->name);
    Choice choice =
        choice_of(*problem, found == progress.end() ? Progress{} : found->second, today);
    if (choice.weight >= 0) choices.push_back(std::move(choice));
  }
  // Of equals the shorter first, then in the order of learning.
  std::stable_sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
    return std::tuple(a.kind, a.weight, -a.item.minutes) >
           std::tuple(b.kind, b.weight, -b.item.minutes);
  });
  return choices;
}

/// Cards that were due when today began, and cards that were answered today.
struct CardDay {
  int due = 0, fresh = 0, answered_due = 0, answered_fresh = 0;
};

CardDay cards_of(const PlanRequest& request, const std::vector<CardReview>& reviews, int today) {
  std::vector<CardReview> before, since;
  for (const CardReview& review : reviews)
    (day_of(review.at) < today ? before : since).push_back(review);
  const CardStandings standings = card_standings(before);
  const CardCounts counts = count_cards(request.topics, standings, today);
  CardDay day{.due = counts.due, .fresh = counts.fresh};
  std::sort(since.begin(), since.end(),
            [](const CardReview& a, const CardReview& b) { return a.card < b.card; });
  const auto same = [](const CardReview& a, const CardReview& b) { return a.card == b.card; };
  since.erase(std::unique(since.begin(), since.end(), same), since.end());
  for (const CardReview& review : since)
    ++(standings.contains(review.card) ? day.answered_due : day.answered_fresh);
  return day;
}

/// Drills of kinds and classes that were due when today began, and drills that were ended today.
struct DrillDay {
  int due = 0, ended = 0;
};

DrillDay drills_of(std::vector<DrillResult> results, int today) {
  DrillDay day;
  day.ended = static_cast<int>(
      std::erase_if(results, [&](const DrillResult& one) { return day_of(one.at) >= today; }));
  for (const drill::Strength& one : drill::strengths(results))
    day.due += one.standing.is_due(today);
  day.due = std::min(day.due, most_drills);
  return day;
}

PlanItem drills_item(int drills, const std::string& reason, const DrillDay& day) {
  return {.drills = drills,
          .minutes = drills * minutes_a_drill,
          .reason = reason,
          .done = day.ended >= drills};
}

class Budget {
 public:
  explicit Budget(int minutes) : left_(minutes) {}

  /// Adds the item if it fits, or if it is the first.
  void add(const PlanItem& item) {
    if (item.minutes > left_ && !items_.empty()) return;
    items_.push_back(item);
    left_ -= item.minutes;
  }

  int left() const { return left_; }
  std::vector<PlanItem> take() { return std::move(items_); }

 private:
  int left_;
  std::vector<PlanItem> items_;
};

}  // namespace

Result<std::optional<PlanRequest>> plan_request(const std::string& until, const std::string& track,
                                                std::uint64_t minutes, Time now) {
  const auto day = day_from(until);
  if (!day || *day < day_of(now)) return std::optional<PlanRequest>();
  const auto problems = problems_with(track, "");
  if (!problems) return problems.error();
  const auto topics = read_topics();
  if (!topics) return topics.error();
  return std::optional(PlanRequest{.until = *day,
                                   .minutes = static_cast<int>(minutes),
                                   .problems = *problems,
                                   .topics = *topics});
}

std::string name_of(const PlanItem& item) {
  if (item.problem) return item.problem->name;
  return item.drills > 0 ? "drill" : "quiz";
}

Result<Plan> plan_for(const PlanRequest& request, const History& history, Time now) {
  const auto attempts = history.outcomes();
  if (!attempts) return attempts.error();
  const auto reviews = history.card_reviews();
  if (!reviews) return reviews.error();
  const int today = day_of(now);
  const auto progress = progress_of(*attempts, today);
  const std::vector<Choice> choices = choices_of(request, progress, today);
  const CardDay cards = cards_of(request, *reviews, today);
  const auto results = history.drill_results();
  if (!results) return results.error();
  const DrillDay drills = drills_of(*results, today);

  Budget budget(request.minutes);
  const auto add_all = [&](bool fresh) {
    for (const Choice& choice : choices) {
      if ((choice.kind == Choice::Kind::fresh) == fresh) budget.add(choice.item);
    }
  };
  add_all(/*fresh=*/false);
  const int due = std::min(cards.due, budget.left() / minutes_a_card);
  if (due > 0) {
    budget.add({.cards = due,
                .minutes = due * minutes_a_card,
                .reason = fmt::format("{} cards are due", cards.due),
                .done = cards.answered_due >= due});
  }
  const int due_drills = std::min(drills.due, budget.left() / minutes_a_drill);
  if (due_drills > 0)
    budget.add(drills_item(due_drills, fmt::format("{} are due", drills.due), drills));
  add_all(/*fresh=*/true);
  if (due_drills == 0 && budget.left() >= minutes_a_drill)
    budget.add(drills_item(1, "a new one", drills));
  const int fresh = std::min(cards.fresh, budget.left() / minutes_a_card);
  if (fresh >= fewest_fresh_cards) {
    budget.add({.cards = fresh,
                .minutes = fresh * minutes_a_card,
                .reason = "new cards",
                .done = cards.answered_fresh >= fresh});
  }

  Plan plan{.today = budget.take(), .days = request.until - today + 1};
  for (const Problem* problem : request.problems) {
    const auto found = progress.find(problem->name);
    const bool solved =
        found != progress.end() && (found->second.passed_before || found->second.passed_today);
    if (solved) continue;
    ++plan.unsolved;
    plan.unsolved_minutes += default_minutes(*problem);
  }
  return plan;
}

}  // namespace kata
