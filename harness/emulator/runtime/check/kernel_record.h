#pragma once
// What a report says of a launch.

#include "emulator/runtime/launch/launch.h"
#include "emulator/types/kernel_record.h"

namespace kata::emulator {

/// The counts of a launch that is over.
KernelRecord totals_of(const Launch& launch);

/// The same, by source line and by buffer too.
KernelRecord record_of(const Launch& launch);

}  // namespace kata::emulator
