#pragma once
// Checks of the numbers by which calls name devices.

#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

/// cudaErrorInvalidDevice where there is no such device, and what is wrong with the current one.
cudaError_t check_device(int device, const char* function, Place place);

/// The same of two.
cudaError_t check_devices(int one, int other, const char* function, Place place);

}  // namespace kata::emulator
