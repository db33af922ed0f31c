#pragma once
// One report of a check on the GPU and on the emulator.

#include "report/report.h"

namespace kata {

/// Adds what the emulator found to the GPU's report, whose results and times stay. An error that
/// the emulator found makes a pass a fail. What ended the emulator's run does not count: it may be
/// a limit of the emulator.
void add_emulated(const Report& emulated, Report& report);

}  // namespace kata
