#pragma once
// A candidate, compiled and judged on one backend.

#include <optional>

#include "grading/candidate.h"
#include "grading/grade.h"

namespace kata {

/// What one backend says of a candidate, without the ladder.
struct Judged {
  Report report;
  std::optional<CompiledCandidate> compiled = {};  ///< none: the report says why
};

Judged judge_candidate(Backend backend, const GradeRequest& request);

}  // namespace kata
