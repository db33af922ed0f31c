#pragma once
// setmaxnreg.
#include "facts.cuh"

#include <chrono>

__global__ __launch_bounds__(384, 1) void registers(int* out) {
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  }
  out[threadIdx.x] = threadIdx.x;
}
__global__ __launch_bounds__(384, 1) void registers_beyond(int* out) {
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 64;");
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  }
  out[threadIdx.x] = threadIdx.x;
}
__global__ __launch_bounds__(384, 1) void registers_of_one_warp(int* out) {
  if (threadIdx.x < 32) asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
  out[threadIdx.x] = threadIdx.x;
}

/// An error, or that the kernel has not ended after two seconds; then the process cannot go on.
void registers_fact(const char* name, void (*kernel)(int*)) {
  if (is_known()) return;
  Device<int> out(384);
  kernel<<<1, 384>>>(out);
  const auto start = std::chrono::steady_clock::now();
  cudaError_t state = cudaErrorNotReady;
  while (state == cudaErrorNotReady &&
         std::chrono::steady_clock::now() - start < std::chrono::seconds(2))
    state = cudaStreamQuery(nullptr);
  if (state == cudaErrorNotReady || state == cudaErrorLaunchTimeout) {
    fact("%s: does not end", name);
    if (state == cudaErrorNotReady) _Exit(3);
    cudaDeviceReset();
    return;
  }
  if (!printed_error(name)) fact("%s: ends", name);
}

void setmaxnreg() {
  registers_fact("24, 240 and 240 of 168 each", registers);
  registers_fact("64, 240 and 240 of 168 each", registers_beyond);
  registers_fact("chip: 24 by one warp of four", registers_of_one_warp);
}
