#pragma once
// The maximum in memory, by one integer atomic: the idea of rung 4.

#include <cuda_runtime.h>
#include <math.h>

static __global__ void start_kernel(float* max) {
  *max = -INFINITY;  // the maximum of no elements
}

/// *max = the larger of *max and value, with one integer atomic.
__device__ inline void atomic_max(float* max, float value) {
  const int bits = __float_as_int(value);
  if (bits >= 0) {
    atomicMax(reinterpret_cast<int*>(max), bits);
  } else {
    atomicMin(reinterpret_cast<unsigned int*>(max), static_cast<unsigned int>(bits));
  }
}
