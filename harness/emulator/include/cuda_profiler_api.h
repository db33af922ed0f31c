#pragma once
#pragma GCC system_header
#include "cuda_runtime_api.h"
// Nothing to start: the emulator always counts.

static inline cudaError_t cudaProfilerStart() {
  return cudaSuccess;
}
static inline cudaError_t cudaProfilerStop() {
  return cudaSuccess;
}
