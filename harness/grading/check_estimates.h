#pragma once
// Without a GPU, after a check: yours beside the ladder at every size of the bench. Nothing here
// depends on how fast this machine is.

#include <vector>

#include "grading/estimates.h"

namespace kata {

/// For each size yours and then the rungs. Yours is profiled at a price that is the same for every
/// size; where it costs more, its row has an error that says so.
///
/// A rung is estimated from its kept profile. Without one, from the profile of its earlier text
/// (Estimate::older), else placed by its measured time beside that of the fastest rung which has an
/// estimate (Estimate::placed). Where yours has no register counts, the rungs' are left out, too:
/// only what is taken alike can be compared.
std::vector<Estimate> check_estimates(const Problem& problem, const std::vector<Shape>& shapes,
                                      const Chip& chip, const Estimated& yours,
                                      const GradeRequest& request);

}  // namespace kata
