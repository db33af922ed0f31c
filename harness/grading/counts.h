#pragma once
// Without a GPU: what each rung asks of memory, as the emulator counts it.

#include <vector>

#include "grading/grade.h"
#include "grading/ladder.h"

namespace kata {

/// The launches of one case, added up.
CountRow add_up(RowKind kind, const std::string& name, const std::vector<KernelRecord>& kernels);

/// A rung's launches, each with its lines.
struct CountedRung {
  std::string name;
  std::vector<KernelRecord> kernels;
};

/// Every rung's launches in a run at `shape`. Counted once and then read from the cache; a rung
/// that does not compile or run is left out.
std::vector<CountedRung> counted_ladder(const Problem& problem, const Shape& shape,
                                        const GradeRequest& request);

/// One row per rung, for a run at `shape`: the same, added up.
std::vector<CountRow> count_ladder(const Problem& problem, const Shape& shape,
                                   const GradeRequest& request);

}  // namespace kata
