#pragma once
// What is due again, and why. The grades are in the history; FSRS makes dates of them.

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "practice/fsrs.h"
#include "practice/history.h"
#include "problems/spec/problem.h"

namespace kata {

/// A day of the person's calendar, counted from 1970.
int day_of(Time time);

/// "2026-11-21"
std::string date_of(int day);

/// Where a person's memory of one operator stands, or of one card, after all grades.
struct Standing {
  fsrs::Memory memory = {};
  Grade grade = Grade::again;  ///< the last
  Time graded{};               ///< when
  int due_day = 0;             ///< day_of() when it should be asked again
  int reviews = 0;

  bool is_due(int today) const { return due_day <= today; }
  /// The probability that it is remembered.
  double recall(int today) const;
};

/// After one grade more; `before` is empty at the first.
Standing graded(const std::optional<Standing>& before, Grade grade, Time at);

/// Of one operator's attempts (Attempt or AttemptOutcome), oldest first; nothing if none was
/// graded.
template <class Tried>
std::optional<Standing> standing_of(const std::vector<Tried>& attempts) {
  std::optional<Standing> standing;
  for (const Tried& attempt : attempts) {
    if (attempt.grade) standing = graded(standing, *attempt.grade, attempt.at);
  }
  return standing;
}

/// Each operator's, in the order that they had.
std::map<std::string, std::vector<AttemptOutcome>> by_operator(
    std::vector<AttemptOutcome> outcomes);

/// What a grade is made of.
struct Performance {
  Verdict verdict = Verdict::fail;
  bool solution_seen = false;
  int hints = 0;
  double worked_s = 0;
  double limit_s = 0;  ///< 0: no clock ran
  double of_best = 0;  ///< Level::of_best
};

/// again: not right, or the solution was seen; hard: a hint, over time, or against the clock with
/// of_best below 0.25; easy: in half the time, and of_best at least 0.8; good: else.
Grade grade_of(const Performance& performance);

/// What counts against an attempt at an operator made now: since it was last graded or reset, and
/// for a day at most.
struct Help {
  int hints = 0;
  bool solution_seen = false;
};
Help help_taken(const History& history, const std::string& operator_name, Time now);

/// The problems in the order to learn them: those of the path, then easy before hard, and what is
/// asked most first.
std::vector<const Problem*> learning_order();

/// What to practise now.
struct NextReview {
  const Problem* problem = nullptr;
  std::optional<Standing> standing = {};
  bool due = false;    ///< false: nothing is due; this is new, or the one that is due soonest
  std::string reason;  ///< one sentence: why this, why now
};

/// What is due and most likely forgotten; else the first of learning_order() that was never graded;
/// else what is due soonest; nothing beside what is left out. An Error if the history cannot be
/// read.
Result<NextReview> next_review(const History& history, Time now,
                               const std::vector<std::string>& left_out = {});

}  // namespace kata
