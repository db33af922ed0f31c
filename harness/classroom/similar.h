#pragma once
// Submissions that share code, by sim_c++ (Debian: similarity-tester).

#include <string>
#include <vector>

#include "classroom/judge_submission.h"
#include "support/result.h"

namespace kata {

struct Similar {
  std::string one, other;  ///< titles; `other` may be a rung of the ladder: "rung 3_float4"
  int percent = 0;         ///< of `one` is also in `other`
};

/// Pairs of different people with at least that much in common, the most similar first. Lines of
/// the stub do not count. An Error if the tool is missing.
Result<std::vector<Similar>> similar_submissions(const std::vector<JudgedHandIn>& outcomes,
                                                 int percent);

}  // namespace kata
