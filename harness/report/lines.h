#pragma once
// The candidate's source with what each line asks of memory beside it.

#include <string>
#include <vector>

#include "report/report.h"

namespace kata {

/// Kernel by kernel, in 80 columns: the lines that touch memory, what is near them, and the advice
/// that `findings` hold below its line. Empty where requests were not counted.
std::string annotated_lines(const std::vector<KernelRecord>& kernels,
                            const std::vector<Finding>& findings, bool color);

}  // namespace kata
