#pragma once
// The last step of a top-k selection: sort the keys that were found, and write them as floats.

#include "bitonic.h"
#include "float_key.h"

constexpr unsigned ONE_BLOCK_SORT = 4096;

// The key of output i before sorting. `found` keys exceed the threshold; all others among the k
// largest are equal to it, so they need not be looked for.
__device__ inline unsigned unsorted_key(const unsigned* keys, unsigned i, unsigned found,
                                        unsigned threshold, unsigned k) {
  return i < found ? keys[i] : i < k ? threshold : NO_KEY;
}

__global__ void sort_in_one_block(const unsigned* keys, const unsigned* found,
                                  const unsigned* threshold, float* y, unsigned k, unsigned size) {
  __shared__ unsigned sorted[ONE_BLOCK_SORT];
  for (unsigned i = threadIdx.x; i < size; i += blockDim.x) {
    sorted[i] = unsorted_key(keys, i, *found, *threshold, k);
  }
  __syncthreads();
  sort_runs(sorted, size, size);
  for (unsigned i = threadIdx.x; i < k; i += blockDim.x) y[i] = float_of(sorted[i]);
}

__global__ void complete(unsigned* keys, const unsigned* found, const unsigned* threshold,
                         unsigned k, unsigned size) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) keys[i] = unsorted_key(keys, i, *found, *threshold, k);
}

__global__ void store_floats(const unsigned* keys, float* y, unsigned k) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < k) y[i] = float_of(keys[i]);
}

// `keys` holds *found keys in any order and has room for power_of_two_from(k).
inline void sort_and_store(unsigned* keys, const unsigned* found, const unsigned* threshold,
                           float* y, unsigned k) {
  const unsigned size = power_of_two_from(k);
  if (size <= ONE_BLOCK_SORT) {
    const unsigned threads = size <= 64 ? 32 : size < 2048 ? size / 2 : 1024;
    sort_in_one_block<<<1, threads>>>(keys, found, threshold, y, k, size);
    return;
  }
  complete<<<(size - 1) / 256 + 1, 256>>>(keys, found, threshold, k, size);
  sort_descending(keys, size);
  store_floats<<<(k - 1) / 256 + 1, 256>>>(keys, y, k);
}
