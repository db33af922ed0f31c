#pragma once
// The logarithm of a sum of exponentials in one pass (online rule).
//
// A pair (max, sum) stands for the values seen so far: sum is the sum of exp(value - max). When a
// larger value comes, the sum is scaled down. Two pairs merge into one, in any order.

#include <cuda_runtime.h>

#include <float.h>

struct LogSumExp {
  float max;
  float sum;

  __device__ float log() const { return max + logf(sum); }
};

// The pair of no values. Not -infinity: merging two of those would compute exp(-inf + inf), a NaN.
__device__ inline LogSumExp no_values() {
  return {-FLT_MAX, 0.0f};
}

__device__ inline LogSumExp merge(const LogSumExp& a, const LogSumExp& b) {
  const float max = fmaxf(a.max, b.max);
  return {max, a.sum * __expf(a.max - max) + b.sum * __expf(b.max - max)};
}

__device__ inline void add(LogSumExp& mine, float value) {
  if (value > mine.max) {  // rare after the first few values
    mine.sum *= __expf(mine.max - value);
    mine.max = value;
  }
  mine.sum += __expf(value - mine.max);
}

__device__ inline LogSumExp warp_merge(LogSumExp mine) {
  for (int offset = 16; offset > 0; offset /= 2) {
    mine = merge(mine, {__shfl_xor_sync(0xffffffffu, mine.max, offset),
                        __shfl_xor_sync(0xffffffffu, mine.sum, offset)});
  }
  return mine;
}

// Of the whole block, in every thread. All threads call it; it may be called again at once.
template <int THREADS>
__device__ LogSumExp block_merge(LogSumExp mine) {
  constexpr int WARPS = THREADS / 32;
  __shared__ LogSumExp slots[WARPS];
  const int lane = threadIdx.x % 32;
  mine = warp_merge(mine);
  __syncthreads();  // the slots of the call before have been read
  if (lane == 0) slots[threadIdx.x / 32] = mine;
  __syncthreads();
  return warp_merge(lane < WARPS ? slots[lane] : no_values());
}
