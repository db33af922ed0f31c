#pragma once
// The largest grid whose blocks may wait for each other: all of them run at once.

#include <cuda_runtime.h>

/// As many blocks as the GPU runs at once. `kernel` needs `shared_bytes` of dynamic shared memory.
template <class Kernel>
int resident_blocks(Kernel kernel, int threads, int shared_bytes) {
  int device = 0;
  int processors = 1;
  int per_processor = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, threads, shared_bytes);
  return processors * per_processor;
}
