#pragma once
// Which sizes of an operator the constants of a candidate's source are near to.

#include <vector>

#include "grading/candidate.h"
#include "judge/near_constants.h"

namespace kata {

/// One for each dimension of the problem's shapes.
std::vector<NearSizes> sizes_near_constants(const Problem& problem, const Candidate& candidate);

/// The largest numbers, two at most, of which the source takes remainders: a counter of calls may
/// start anew there.
std::vector<int> periods_of(const Candidate& candidate);

}  // namespace kata
