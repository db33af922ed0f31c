#pragma once
// Which sizes of an operator the constants of a candidate's source are near to.

#include <vector>

#include "grading/candidate.h"
#include "judge/near_constants.h"

namespace kata {

/// One for each dimension of the problem's shapes.
std::vector<NearSizes> sizes_near_constants(const Problem& problem, const Candidate& candidate);

}  // namespace kata
