#pragma once
// What an interviewer would give for a submission: 100 points, and where each of them went.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grading/candidate.h"
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

/// What each criterion is worth, 100 in all.
inline constexpr int asked_points = 10, main_points = 15, edge_points = 15, clean_points = 10,
                     efficiency_points = 40, launch_points = 5, time_points = 5;

struct Rubric {
  std::vector<Criterion> criteria;  ///< what they are worth adds up to 100
  int hints = 0;
  int lost_to_hints = 0;
  int total = 0;  ///< never below 0
};

/// The launch of a call that moves most bytes.
struct MainLaunch {
  std::string kernel;
  std::uint64_t blocks = 0, threads = 0;  ///< threads of a block
  std::string size;                       ///< of the call: "8192x4096"
};

struct Submission {
  const Problem& problem;
  const Report& report;                 ///< of all cases
  std::optional<bool> main_right = {};  ///< the main case alone; empty: it did not run
  double of_best = 0;                   ///< Level::of_best; 0: unknown
  Milliseconds worked{}, limit{};
  int hints = 0;
  std::vector<std::string> matters = {};   ///< topics of questions that decide what is written
  std::vector<std::string> asked = {};     ///< by the person's own idea
  std::optional<MainLaunch> typical = {};  ///< at the first size of the bench, if that is known
};

/// Nothing where there is no launch.
std::optional<MainLaunch> main_launch(const std::vector<KernelRecord>& launches,
                                      const Shape& shape);

/// At the first size of the bench, where kata estimates the time, too. Nothing for a kernel that
/// does not pass, or that the emulator does not run or cannot profile there.
std::optional<MainLaunch> typical_launch(const Problem& problem, const Report& report,
                                         const Candidate& candidate, const std::string& chip);

/// With ordinary values, and of sizes like those that are timed: what an interviewer means by "does
/// it work".
Case main_case(const Problem& problem);

Rubric judge_submission(const Submission& submission);

inline constexpr int points_per_hint = 5;

}  // namespace kata
