#pragma once
// Checks of the memory that a call of host code hands to the device.

#include <cstddef>
#include <string>

#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

/// What is wrong with [pointer, pointer + bytes) as device memory; empty if nothing is.
std::string check_device_range(const void* pointer, std::size_t bytes);

bool host_may_use(const void* pointer);

/// A candidate that writes to an input without a kernel.
void check_not_input(const void* to, const char* function, Place place);

}  // namespace kata::emulator
