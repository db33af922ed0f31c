#pragma once
// The last step of a top-k selection: sort the keys that were found, and write them as floats.

#include <kata/kata.h>

#include "../common/float_key.h"
#include "bitonic.h"

// The key of output i before sorting. `found` keys exceed the threshold; all others among the k
// largest are equal to it, so they need not be looked for.
__device__ inline unsigned unsorted_key(const unsigned* keys, unsigned i, unsigned found,
                                        unsigned threshold, unsigned k) {
  if (i >= k) return NO_KEY;
  return i < found ? keys[i] : threshold;
}

constexpr int RANK_THREADS = 256;
constexpr unsigned RANK_TILE = 1024;

// y[rank of a key] = the key, for keys i < count with a rank below k. A key's rank is the number of
// larger keys, and of equal ones before it. One warp per key compares it with all others.
template <class KeyAt>
__device__ void store_by_rank(KeyAt key_at, unsigned count, float* y, unsigned k) {
  __shared__ unsigned tile[RANK_TILE];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warps = gridDim.x * (RANK_THREADS / 32);
  if (blockIdx.x * (RANK_THREADS / 32) >= count) return;     // nothing to do for the whole block
  for (unsigned start = 0; start < count; start += warps) {  // the same trip count in all threads
    const unsigned i = start + blockIdx.x * (RANK_THREADS / 32) + threadIdx.x / 32;
    const unsigned key = i < count ? key_at(i) : NO_KEY;
    unsigned rank = 0;
    for (unsigned first = 0; first < count; first += RANK_TILE) {
      __syncthreads();
      for (unsigned j = threadIdx.x; j < RANK_TILE; j += RANK_THREADS) {
        tile[j] = first + j < count ? key_at(first + j) : NO_KEY;
      }
      __syncthreads();
      for (unsigned j = lane; j < RANK_TILE; j += 32) {
        const unsigned other = tile[j];
        rank += other > key || (other == key && first + j < i);
      }
    }
    rank = __reduce_add_sync(0xffffffffu, rank);
    if (lane == 0 && i < count && rank < k) y[rank] = float_of(key);
  }
}

__global__ void rank_and_store(const unsigned* keys, const unsigned* found,
                               const unsigned* threshold, float* y, unsigned k) {
  const unsigned larger = *found;
  const unsigned smallest = *threshold;
  store_by_rank([=](unsigned i) { return unsorted_key(keys, i, larger, smallest, k); }, k, y, k);
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

// `keys` holds *found keys in any order and has room for power_of_two_from(k). k * k comparisons in
// one launch are faster than a sort in many launches while k is small.
inline void sort_and_store(unsigned* keys, const unsigned* found, const unsigned* threshold,
                           float* y, unsigned k) {
  constexpr unsigned LARGEST_RANKED = 4096;
  if (k <= LARGEST_RANKED) {
    const unsigned warps = RANK_THREADS / 32;
    rank_and_store<<<kata::ceil_div(k, warps), RANK_THREADS>>>(keys, found, threshold, y, k);
    return;
  }
  const unsigned size = power_of_two_from(k);
  complete<<<kata::ceil_div(size, 256), 256>>>(keys, found, threshold, k, size);
  sort_descending(keys, size);
  store_floats<<<kata::ceil_div(k, 256), 256>>>(keys, y, k);
}
