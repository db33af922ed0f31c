#pragma once
// The online rule of rung 3 with the __expf of rung 4, for floats and for float4.

#include <cuda_runtime.h>
#include <float.h>
#include <math.h>

#include "../common/aligned.h"

struct Partial {
  float max;
  float sum;  // of exp(x - max)
};

/// The pair of no elements. Not -infinity: merging two of those would compute exp(-inf + inf), NaN.
__device__ inline Partial empty_partial() {
  return {-FLT_MAX, 0.0f};
}

__device__ inline Partial merge(Partial a, Partial b) {
  const float max = fmaxf(a.max, b.max);
  return {max, a.sum * __expf(a.max - max) + b.sum * __expf(b.max - max)};
}

__device__ inline Partial warp_merge(Partial mine) {
  for (int offset = 16; offset > 0; offset /= 2) {
    const Partial other = {__shfl_xor_sync(0xffffffffu, mine.max, offset),
                           __shfl_xor_sync(0xffffffffu, mine.sum, offset)};
    mine = merge(mine, other);
  }
  return mine;
}

/// The merged pair of a block, in all threads. All threads call it. A second call needs a barrier
/// in between.
template <int THREADS>
__device__ Partial block_merge(Partial mine) {
  constexpr int WARPS = THREADS / 32;
  __shared__ Partial slots[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  mine = warp_merge(mine);
  if (lane == 0) slots[warp] = mine;
  __syncthreads();
  return warp_merge(lane < WARPS ? slots[lane] : empty_partial());
}

__device__ inline float max_of(float4 v) {
  return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}

__device__ inline float sum_of_exp(float4 v, float max) {
  return (__expf(v.x - max) + __expf(v.y - max)) + (__expf(v.z - max) + __expf(v.w - max));
}

/// Adds COUNT float4 to a pair: one maximum, and so one rescaling, for all of them.
template <int COUNT>
__device__ void add(Partial& mine, const float4 (&values)[COUNT]) {
  float max = mine.max;
#pragma unroll
  for (int i = 0; i < COUNT; ++i) max = fmaxf(max, max_of(values[i]));
  mine.sum *= __expf(mine.max - max);
  mine.max = max;
#pragma unroll
  for (int i = 0; i < COUNT; ++i) mine.sum += sum_of_exp(values[i], max);
}

/// exp(v - max) * scale. scale is 1 / sum: one division per thread instead of one per element.
__device__ inline float4 quotients(float4 v, float max, float scale) {
  return make_float4(__expf(v.x - max) * scale, __expf(v.y - max) * scale,
                     __expf(v.z - max) * scale, __expf(v.w - max) * scale);
}

/// x4[i], or from x4[count4] on minus infinity, which adds nothing.
__device__ inline float4 load4(const float4* x4, int i, int count4) {
  return i < count4 ? x4[i] : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
}
