#pragma once
// The candidate's source with what each line asks of memory beside it.

#include <string>
#include <vector>

#include "report/report.h"

namespace kata {

/// One kind of access at a line, as a profiler's listing has it.
struct LineCounter {
  std::string name;       ///< "LDG", "STG", "LDS", "STS", "ATOM"
  std::string amounts;    ///< for a request: sectors, wavefronts or turns, and the fewest: "32/4"
  std::string ways;       ///< "32-way": the worst request's conflict; empty if there is none
  int percent = 0;        ///< of what the kernel has of them
  bool wasteful = false;  ///< half as much again as the fewest, or more
};

/// Those that the line has. Empty where requests were not counted.
std::vector<LineCounter> counters_of(const LineRecord& line, const KernelRecord& kernel);

/// Kernel by kernel, in 80 columns: the lines that touch memory, what is near them, and the advice
/// that `findings` hold below its line. Empty where requests were not counted.
std::string annotated_lines(const std::vector<KernelRecord>& kernels,
                            const std::vector<Finding>& findings, bool color);

}  // namespace kata
