#pragma once
// What rungs 4 and 5 share: aligned vectors of one end, reversed for any offset of the other end,
// and the pairs in the middle.

#include "../common/load4.h"

constexpr int THREADS = 256;
constexpr unsigned ALL_LANES = 0xffffffffu;

// A vector of one end in its new order. Its last elements in the old order are the lane's own; the
// first R in the new order come from the neighbour.
template <int R>
__device__ Vec4 mirrored(const Vec4& own, int neighbour) {
  Vec4 result;
#pragma unroll
  for (int k = 0; k < R; ++k) result.at[k] = __shfl_sync(ALL_LANES, own.at[R - 1 - k], neighbour);
#pragma unroll
  for (int k = R; k < 4; ++k) result.at[k] = own.at[R + 3 - k];
  return result;
}

// The vector whose first R elements lie 128 further on, at the other end of the warp's 32 vectors.
template <int R>
__device__ Vec4 load_wrapped(const float* at) {
  Vec4 v;
#pragma unroll
  for (int k = 0; k < 4; ++k) v.at[k] = at[k < R ? k + 128 : k];
  return v;
}

template <int R>
__device__ void store_wrapped(float* at, const Vec4& v) {
#pragma unroll
  for (int k = 0; k < 4; ++k) at[k < R ? k + 128 : k] = v.at[k];
}

// By one block: swaps elements [begin, n / 2) with those that mirror them.
__device__ inline void swap_middle(float* x, int begin, int n) {
  for (int i = begin + threadIdx.x; i < n / 2; i += THREADS) {
    const float front = x[i];
    x[i] = x[n - 1 - i];
    x[n - 1 - i] = front;
  }
}
