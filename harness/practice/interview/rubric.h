#pragma once
// What an interviewer would give for a submission: 100 points, and where each of them went.

#include <string>
#include <vector>

#include "practice/exercise/session_clock.h"
#include "problems/spec/problem.h"
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
  const Report& report;                 ///< of all cases
  std::optional<bool> main_right = {};  ///< the main case alone; empty: it did not run
  double of_best = 0;                   ///< Level::of_best; 0: unknown
  Milliseconds worked{}, limit{};
  int hints = 0;
  std::vector<std::string> matters = {};  ///< topics of questions that decide what is written
  std::vector<std::string> asked = {};    ///< by the person's own idea
};

/// The largest case with ordinary values: what an interviewer means by "does it work".
Case main_case(const Problem& problem);

Rubric judge_submission(const Submission& submission);

inline constexpr int points_per_hint = 5;

}  // namespace kata
