#pragma once
// Which sizes of an operator the constants of a candidate's source are near to.

#include <set>
#include <vector>

#include "compile/constants.h"
#include "grading/candidate.h"
#include "judge/near_constants.h"

namespace kata {

/// Those of the candidate's source, for what follows.
std::set<SourceConstant> constants_in(const Candidate& candidate);

/// One for each dimension of the problem's shapes.
std::vector<NearSizes> sizes_near_constants(const Problem& problem,
                                            const std::set<SourceConstant>& constants);

/// The largest numbers, two at most, of which the source takes remainders: a counter of calls may
/// start anew there.
std::vector<int> periods_of(const std::set<SourceConstant>& constants);

}  // namespace kata
