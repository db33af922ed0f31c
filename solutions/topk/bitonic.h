#pragma once
// Bitonic sort, the largest key first. Sizes are powers of two.

#include <cuda_runtime.h>
#include <kata/kata.h>

// One compare-exchange: pair number `pair` of the step with this distance. Runs of `length` keys
// fall and rise by turns; the run that starts at 0 falls.
__device__ inline void compare_exchange(unsigned* keys, unsigned pair, unsigned length,
                                        unsigned distance) {
  const unsigned low = 2 * pair - (pair & (distance - 1));
  const unsigned high = low + distance;
  const bool falling = (low & length) == 0;
  const unsigned a = keys[low];
  const unsigned b = keys[high];
  if ((a < b) == falling && a != b) {
    keys[low] = b;
    keys[high] = a;
  }
}

// Sorts bitonic runs of `length` keys in shared memory. Every thread of the block calls it, with
// the keys written before a barrier; it ends with one.
__device__ inline void merge_runs(unsigned* keys, unsigned size, unsigned length) {
  for (unsigned distance = length / 2; distance > 0; distance /= 2) {
    for (unsigned pair = threadIdx.x; pair < size / 2; pair += blockDim.x) {
      compare_exchange(keys, pair, length, distance);
    }
    __syncthreads();
  }
}

// Sorts each run of `run` keys in shared memory; runs fall and rise by turns.
__device__ inline void sort_runs(unsigned* keys, unsigned size, unsigned run) {
  for (unsigned length = 2; length <= run; length *= 2) merge_runs(keys, size, length);
}

__global__ void compare_exchange_step(unsigned* keys, unsigned size, unsigned length,
                                      unsigned distance) {
  const unsigned pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair < size / 2) compare_exchange(keys, pair, length, distance);
}

// Sorts keys in global memory, with one launch per step.
inline void sort_descending(unsigned* keys, unsigned size) {
  const unsigned threads = 256;
  for (unsigned length = 2; length <= size && length != 0; length *= 2) {
    for (unsigned distance = length / 2; distance > 0; distance /= 2) {
      compare_exchange_step<<<kata::ceil_div(size / 2, threads), threads>>>(keys, size, length,
                                                                            distance);
    }
  }
}

inline unsigned power_of_two_from(unsigned n) {
  unsigned size = 1;
  while (size < n) size *= 2;
  return size;
}
