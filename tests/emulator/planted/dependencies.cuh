#pragma once
// Launches with programmatic stream serialization.
#include <cuda_runtime.h>

__global__ void write(float* x) {
  x[threadIdx.x] = threadIdx.x;
  cudaTriggerProgrammaticLaunchCompletion();
}

/// One block, which may begin before the kernel before it has ended.
template <class... P, class... A>
void launch_early(void (*kernel)(P...), int threads, A... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = threads;
  config.attrs = &early;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, kernel, arguments...);
}
