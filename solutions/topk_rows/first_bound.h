#pragma once
// A bound for the k-th largest key of a row, before anything is kept: from the threads' maxima.

#include "sort_keys.h"

constexpr int MOST_THREADS = 512;

// `largest` is the largest of some keys of this thread, and threads have no key in common. The k-th
// largest of these maxima is one that at least k keys of the row reach. Returns the number below
// it, or NONE if there are not k of them. All threads call it.
__device__ inline Key first_bound(Key largest, Key* maxima, int k) {
  const int threads = blockDim.x;  // a power of two
  if (k > threads) return NONE;
  maxima[threadIdx.x] = largest;
  __syncthreads();
  sort_descending(maxima, threads);
  const Key kth = maxima[k - 1];
  __syncthreads();
  return kth == NONE ? NONE : kth - 1;
}
