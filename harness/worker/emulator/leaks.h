#pragma once
// Device memory that was never freed, as findings.

#include <vector>

#include "report/report.h"

namespace kata {

/// Adds those of the person's code, forgotten since the last call. After a fault that stops a run
/// there are none: what would have freed the memory may not have been reached.
void add_leaks(std::vector<Finding>& findings);

}  // namespace kata
