#pragma once
// Without a GPU: what each rung asks of memory, as the emulator counts it.

#include <vector>

#include "grading/grade.h"
#include "grading/ladder.h"

namespace kata {

/// The launches of one case, added up.
CountRow add_up(const std::string& name, const std::vector<KernelRecord>& kernels);

/// One row per rung, for a run at `shape`. Counted once and then read from the cache; a rung that
/// does not compile or run has no row.
std::vector<CountRow> count_ladder(const Problem& problem, const Shape& shape,
                                   const GradeRequest& request);

}  // namespace kata
