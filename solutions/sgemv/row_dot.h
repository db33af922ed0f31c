#pragma once
// The dot product of a row piece with x by LANES threads, and the sum of their results.

#include <cuda_runtime.h>

#include "../common/aligned.h"

/// The sum over each group of LANES neighbouring lanes, in all of them. The whole warp calls it.
template <int LANES>
__device__ float group_sum(float value) {
  for (int offset = LANES / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

/// The sum over a block of THREADS, in the first warp. All threads call it, once per kernel.
template <int THREADS>
__device__ float block_sum(float value) {
  __shared__ float slots[THREADS / 32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  value = group_sum<32>(value);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  return group_sum<32>(lane < THREADS / 32 ? slots[lane] : 0.0f);
}

__device__ inline float dot4(float4 a, float4 b) {
  return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

__device__ inline float load_or_zero(const float* p, int k, int end) {
  return k < end ? p[k] : 0.0f;
}

/// This lane's four of the 4 * LANES elements from `first` on, with zeros from p[end] on. VECTOR:
/// four neighbours in one 16-byte load; p is aligned, and `first` and `end` are multiples of 4.
/// Otherwise: four elements LANES apart, so that each of the four loads is coalesced.
template <int LANES, bool VECTOR>
__device__ float4 load4(const float* p, int first, int end) {
  const int lane = threadIdx.x % LANES;
  if (VECTOR) {
    const int k = first + 4 * lane;
    return k < end ? *reinterpret_cast<const float4*>(p + k) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  const int k = first + lane;
  return make_float4(load_or_zero(p, k, end), load_or_zero(p, k + LANES, end),
                     load_or_zero(p, k + 2 * LANES, end), load_or_zero(p, k + 3 * LANES, end));
}

/// This lane's part of the sum of row[k] * x[k] for k in [begin, end): the loop of rung 3.
template <int LANES, bool VECTOR>
__device__ float partial_dot(const float* row, const float* x, int begin, int end) {
  constexpr int UNROLL = 4;
  constexpr int WIDTH = 4 * LANES;
  float sum = 0.0f;
  for (int first = begin; first < end; first += UNROLL * WIDTH) {
    float4 a[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) a[u] = load4<LANES, VECTOR>(row, first + u * WIDTH, end);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      sum += dot4(a[u], load4<LANES, VECTOR>(x, first + u * WIDTH, end));
    }
  }
  return sum;
}
