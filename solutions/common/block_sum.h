#pragma once
// The sum of one float per thread, over a warp and over a block, by shuffles.
//
// Every thread of the block must call these, threads without an element with 0: a full mask names
// all 32 lanes, and a lane that returned early would be missing.

/// The sum over the warp, in lane 0.
__device__ inline float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, offset);
  }
  return value;
}

/// The sum over a block of THREADS, in thread 0. Each warp leaves its sum in a slot, and the first
/// warp adds up the slots. A second call needs a barrier in between.
template <int THREADS>
__device__ float block_sum(float value) {
  static_assert(THREADS % 32 == 0 && THREADS <= 1024,
                "whole warps, and a slot for each in one warp");
  constexpr int WARPS = THREADS / 32;
  __shared__ float slots[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_sum(lane < WARPS ? slots[lane] : 0.0f);
  return value;
}
