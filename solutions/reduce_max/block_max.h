#pragma once
// The maximum over a warp and over a block, by shuffles: the idea of rung 3.

#include <cuda_runtime.h>
#include <math.h>

/// The maximum over the warp, in lane 0. All 32 lanes call it.
__device__ inline float warp_max(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_down_sync(0xffffffffu, value, offset));
  }
  return value;
}

/// The maximum over a block of THREADS, in thread 0. All threads call it. A second call needs a
/// barrier in between.
template <int THREADS>
__device__ float block_max(float value) {
  constexpr int WARPS = THREADS / 32;
  __shared__ float slots[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  value = warp_max(value);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_max(lane < WARPS ? slots[lane] : -INFINITY);
  return value;
}

__device__ inline float max_of(float4 v) {
  return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}
