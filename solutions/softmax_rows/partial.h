#pragma once
// The online rule of rung 3 for float4, over a block.

#include <cuda_runtime.h>
#include <float.h>

#include "row_vectors.h"

struct Partial {
  float max;
  float sum;  // of exp(x - max)
};

// The pair of no elements. Not -infinity: merging two of those would compute exp(-inf + inf), NaN.
__device__ inline Partial empty_partial() {
  return {-FLT_MAX, 0.0f};
}

// Merges the pairs of a block; every thread gets the result. All threads call it, once per kernel.
template <int LANES>
__device__ Partial block_merge(Partial mine) {
  __shared__ Partial slots[LANES / 32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  float max = warp_max(mine.max);
  float sum = warp_sum(mine.sum * __expf(mine.max - max));
  if (lane == 0) slots[warp] = {max, sum};
  __syncthreads();
  mine = lane < LANES / 32 ? slots[lane] : empty_partial();
  max = warp_max(mine.max);
  sum = warp_sum(mine.sum * __expf(mine.max - max));
  return {max, sum};
}

// Adds COUNT groups to a pair: one maximum, and so one rescaling, for all of them.
template <int COUNT>
__device__ void add(Partial& mine, const float4 (&values)[COUNT]) {
  float max = mine.max;
#pragma unroll
  for (int i = 0; i < COUNT; ++i) max = fmaxf(max, max_of(values[i]));
  mine.sum *= __expf(mine.max - max);
  mine.max = max;
#pragma unroll
  for (int i = 0; i < COUNT; ++i) mine.sum += sum_of(exponentials(values[i], max));
}
