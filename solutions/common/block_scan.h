#pragma once
// Prefix sums over a warp and over a block.

#include <cuda_runtime.h>

// The sum of this lane's value and of those of all lower lanes. Every lane of the warp calls it.
template <class T>
__device__ T warp_inclusive_scan(T value) {
  const int lane = threadIdx.x % 32;
  for (int offset = 1; offset < 32; offset *= 2) {
    const T lower = __shfl_up_sync(0xffffffffu, value, offset);
    if (lane >= offset) value += lower;
  }
  return value;
}

// The sum of the values of all lower threads; `total` is the sum of the whole block. Every thread
// of the block calls it. THREADS is a multiple of 32 and at most 1024.
template <int THREADS, class T>
__device__ T block_exclusive_scan(T value, T& total) {
  constexpr int WARPS = THREADS / 32;
  __shared__ T warp_sums[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;

  const T inclusive = warp_inclusive_scan(value);
  if (lane == 31) warp_sums[warp] = inclusive;
  __syncthreads();
  const T sums = warp_inclusive_scan(lane < WARPS ? warp_sums[lane] : T(0));  // in every warp
  __syncthreads();  // the slots are free for the next call

  total = __shfl_sync(0xffffffffu, sums, WARPS - 1);
  const T before_warp = __shfl_sync(0xffffffffu, sums, warp > 0 ? warp - 1 : 0);
  const T before_lane = __shfl_up_sync(0xffffffffu, inclusive, 1);
  return (warp > 0 ? before_warp : T(0)) + (lane > 0 ? before_lane : T(0));
}
