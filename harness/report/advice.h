#pragma once
// What would make kernels faster, from what they ask of memory.

#include <vector>

#include "report/report.h"

namespace kata {

/// Findings of severity "advice", the dearest first, a handful at most: uncoalesced, bank_conflict,
/// contention, divergence, reread. Each names a line, what its lanes do there, and the usual mend.
/// `kernels` are the launches of one run. Only what takes a tenth of its kernel's traffic or more
/// is told: to mend anything less could not be seen in a time.
std::vector<Finding> advice(const std::vector<KernelRecord>& kernels);

}  // namespace kata
