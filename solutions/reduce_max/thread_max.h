#pragma once
// The maximum of one thread's elements: the loop of rung 6.

#include <cuda_runtime.h>
#include <math.h>

#include "block_max.h"

// float4 with UNROLL loads in flight, then the elements from 4 * count4 on.
template <int THREADS, int UNROLL>
__device__ float thread_max(const float* x, int n, int count4) {
  const float4* x4 = reinterpret_cast<const float4*>(x);
  const int tid = threadIdx.x;
  const int stride4 = gridDim.x * THREADS * UNROLL;
  float value = -INFINITY;
  for (int first = blockIdx.x * THREADS * UNROLL + tid; first < count4; first += stride4) {
    float4 v[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
      const int i = first + k * THREADS;
      v[k] = i < count4 ? x4[i] : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
    }
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) value = fmaxf(value, max_of(v[k]));
  }

  const int stride = gridDim.x * THREADS;
  for (int i = 4 * count4 + blockIdx.x * THREADS + tid; i < n; i += stride) {
    value = fmaxf(value, x[i]);
  }
  return value;
}
