#pragma once
// CUDA's types and the prototypes of the runtime API, as candidates see them.

#include "emulator/include/cuda_runtime_api.h"
#include "emulator/include/driver_api_types.h"
