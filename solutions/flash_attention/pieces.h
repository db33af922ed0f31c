#pragma once
// How persistent blocks share pieces of work: a counter in device memory,
// which is 0 between launches.

#include "../common/scratch.h"
#include "ring.h"

// `pieces` and more: there are none left. The counter wraps to 0 at the last fetch of a launch.
__device__ inline int next_piece(unsigned* counter, int pieces) {
  return atomicInc(counter, pieces + gridDim.x - 1);
}

inline int grid_of_processors() {
  int device = 0, processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  return processors;
}
