#pragma once
// The emulator's findings as kata's report has them.

#include <vector>

#include "emulator/types/finding.h"
#include "report/report.h"

namespace kata {

std::vector<Finding> from_emulator(const std::vector<emulator::Finding>& findings);

}  // namespace kata
