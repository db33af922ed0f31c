#pragma once
// What would make kernels faster, from what they ask of memory.

#include <vector>

#include "report/report.h"

namespace kata {

/// Findings of severity "advice", the dearest first, a handful at most: uncoalesced, bank_conflict,
/// contention, divergence, reread. Each names a line, what its lanes do there, and the usual mend.
/// `kernels` are the launches of one call; or, `of_program`, the kernels of a whole program, of
/// which nobody knows which work together: what one reads again of another's is no reread there.
/// Only what takes a tenth of its kernel's traffic or more is told: to mend anything less could not
/// be seen in a time.
std::vector<Finding> advice(const std::vector<KernelRecord>& kernels, bool of_program = false);

}  // namespace kata
