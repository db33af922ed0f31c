#pragma once
// A bitonic sort of keys in shared memory by one block of any size.

#include "row_key.h"

__device__ inline int power_of_two_from(int n) {
  int size = 1;
  while (size < n) size *= 2;
  return size;
}

// The largest first. `size` is a power of two. All threads call it; it begins where the keys are
// visible to all of them, and ends with a barrier.
__device__ inline void sort_descending(Key* keys, int size) {
  for (int run = 2; run <= size; run *= 2) {
    for (int stride = run / 2; stride > 0; stride /= 2) {
      for (int i = threadIdx.x; i < size / 2; i += blockDim.x) {
        const int low = 2 * i - (i & (stride - 1));  // i % stride is a slow division here
        const int high = low + stride;
        const bool falls = (low & run) == 0;  // runs fall and rise by turns, the last one falls
        const Key a = keys[low];
        const Key b = keys[high];
        if ((a < b) == falls) {
          keys[low] = b;
          keys[high] = a;
        }
      }
      __syncthreads();
    }
  }
}
