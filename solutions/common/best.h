#pragma once
// A candidate for the maximum: a value and where it stands. The rule for equal values is part of
// the comparison, which makes it a total order: any tree over any split gives the same answer.

#include <limits.h>
#include <math_constants.h>

struct Best {
  float value;
  int index;
};

/// Loses against every element, minus infinity included.
__device__ inline Best no_best() {
  return {-CUDART_INF_F, INT_MAX};
}

/// The larger value; of two equal values (-0 equals 0) the one that comes first.
__device__ inline Best better(Best a, Best b) {
  const bool second = b.value > a.value || (b.value == a.value && b.index < a.index);
  return second ? b : a;
}

/// The best of the warp, in lane 0. All 32 lanes must call it.
__device__ inline Best warp_best(Best best) {
  for (int offset = 16; offset > 0; offset /= 2) {
    const Best other = {__shfl_down_sync(0xffffffffu, best.value, offset),
                        __shfl_down_sync(0xffffffffu, best.index, offset)};
    best = better(best, other);
  }
  return best;
}

/// The best of a block of THREADS, in thread 0. All threads must call it.
template <int THREADS>
__device__ Best block_best(Best best) {
  static_assert(THREADS % 32 == 0 && THREADS <= 1024,
                "whole warps, and a slot for each in one warp");
  constexpr int WARPS = THREADS / 32;
  __shared__ Best slots[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  best = warp_best(best);
  if (lane == 0) slots[warp] = best;
  __syncthreads();
  if (warp == 0) best = warp_best(lane < WARPS ? slots[lane] : no_best());
  return best;
}
