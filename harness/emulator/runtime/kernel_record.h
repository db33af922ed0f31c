#pragma once
// What a report says of a launch.

#include "emulator/runtime/launch.h"
#include "report/report.h"

namespace kata::emulator {

/// The counts of a launch that is over: in all, by source line and by buffer.
KernelRecord record_of(const Launch& launch);

}  // namespace kata::emulator
