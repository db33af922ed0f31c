#pragma once
// A candidate beside its ladder: counts and estimates without a GPU, times with one, its level.

#include <optional>
#include <vector>

#include "grading/candidate.h"
#include "grading/estimates.h"
#include "grading/grade.h"

namespace kata {

/// Estimates for each size: yours if it is given, and the ladder. `limit_s`: for all sizes.
std::optional<Error> add_estimates(const Problem& problem, const std::vector<Shape>& shapes,
                                   const Estimated* yours, double limit_s,
                                   const GradeRequest& request, Report& report);

/// Adds all that the backend can compare, and then the level that it shows.
void compare_with_ladder(const CompiledCandidate& compiled, const GradeRequest& request,
                         Report& report);

}  // namespace kata
