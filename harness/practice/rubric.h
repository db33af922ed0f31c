#pragma once
// What an interviewer would give for a submission: 100 points, and where each of them went.

#include <string>
#include <vector>

#include "practice/history.h"
#include "practice/session_clock.h"
#include "problems/problem.h"
#include "report/report.h"

namespace kata {

struct Criterion {
  std::string name;
  int points = 0;
  int of = 0;
  std::string why;  ///< one sentence, also where all points are given
};

struct Rubric {
  std::vector<Criterion> criteria;  ///< what they are worth adds up to 100
  int hints = 0;
  int lost_to_hints = 0;
  int total = 0;  ///< never below 0
};

struct Submission {
  const Problem& problem;
  const Report& report;      ///< of all cases
  bool main_right = false;   ///< the main case alone
  double of_best = 0;        ///< best rung's time or counts over the candidate's; 0: unknown
  Milliseconds worked{}, limit{};
  int hints = 0;
};

/// The largest case with ordinary values: what an interviewer means by "does it work".
const Case& main_case(const Problem& problem);

Rubric judge_submission(const Submission& submission);

/// What decides when an operator comes up again.
struct Outcome {
  bool passed = false;
  bool solution_seen = false;
  int hints = 0;
  Milliseconds worked{}, limit{};
  double of_best = 0;
};

/// Failed or saw the solution: again; with a hint or over time: hard; in half the time and at least
/// 80 % of the best rung: easy; else good.
Grade grade_of(const Outcome& outcome);

inline constexpr int points_per_hint = 5;

}  // namespace kata
