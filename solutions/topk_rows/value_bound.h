#pragma once
// A lower bound for the k-th largest key of a row, from the largest value that each thread saw.

#include "row_key.h"

constexpr int BOUND_THREADS = 256;

// The r-th largest of the lanes' values, or less where values are equal; NO_KEY if there are fewer.
__device__ inline unsigned rth_of_warp(unsigned value, int r) {
  unsigned largest = NO_KEY;
  for (int i = 0; i < r; ++i) {
    largest = __reduce_max_sync(0xffffffffu, value);
    if (value == largest) value = NO_KEY;
  }
  return largest;
}

// `largest` is key_of() the largest value of some elements of this thread, and no element belongs
// to two threads. Where each of W warps finds its r-th largest, W r elements are as large as the
// least of these. With W r >= k that makes a bound: at least k keys of the row are larger than the
// result. All threads call it.
__device__ inline Key value_bound(unsigned largest, int k) {
  __shared__ unsigned of_warp[BOUND_THREADS / 32];
  const int warps = blockDim.x / 32;
  const int r = (k + warps - 1) / warps;
  if (r > 32) return NONE;  // the same for the whole block
  const unsigned rth = rth_of_warp(largest, r);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = rth;
  __syncthreads();
  unsigned least = of_warp[0];
  for (int w = 1; w < warps; ++w) least = min(least, of_warp[w]);
  __syncthreads();  // the places are free for the next call
  return least == NO_KEY ? NONE : (Key(least) << 32) - 1;
}
