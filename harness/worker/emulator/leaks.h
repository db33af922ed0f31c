#pragma once
// Device memory that was never freed, as findings.

#include <vector>

#include "report/report.h"

namespace kata {

/// Those of the person's code, forgotten since the last call.
std::vector<Finding> leaks();

}  // namespace kata
