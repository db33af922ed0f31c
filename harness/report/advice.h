#pragma once
// What would make kernels faster, from what they ask of memory.

#include <vector>

#include "report/report.h"

namespace kata {

/// Findings of severity "advice", the most expensive first, a handful at most: uncoalesced,
/// bank_conflict, contention, divergence, reread. Each names a line, what its lanes do there, and
/// the usual remedy. `kernels` are the launches of one call; or, `of_program`, the kernels of a
/// whole program. In a program it is unknown which kernels work together, so rereads are reported
/// within one launch only. Advice is given for a tenth of the kernel's traffic or more: fixing less
/// would not show in a time.
std::vector<Finding> advice(const std::vector<KernelRecord>& kernels, bool of_program = false);

/// The usual remedy for what advice of that kind is about.
const char* remedy_of(FindingKind kind);

}  // namespace kata
