#pragma once
// An element of a row as one 64-bit key: its value above, its column below.
//
// The value is mapped to an unsigned integer of the same order (common/float_key.h). Adding 0 first
// makes -0 and 0 one value. The column is inverted, so that of equal values the lower column has
// the larger key. No two keys of a row are equal: there are no ties left, and every way to select
// the k largest keys finds the same ones.

#include "../common/float_key.h"

using Key = unsigned long long;

constexpr Key NONE = 0;  // below the key of every element, -infinity included

__device__ inline Key key_at(float value, int col) {
  return Key(key_of(value + 0.0f)) << 32 | ~static_cast<unsigned>(col);
}

__device__ inline void store_key(Key key, float* value, int* index) {
  *value = float_of(static_cast<unsigned>(key >> 32));
  *index = static_cast<int>(~static_cast<unsigned>(key));
}

__device__ inline Key warp_max(Key key) {
  for (int offset = 16; offset > 0; offset /= 2) {
    const Key other = __shfl_xor_sync(0xffffffffu, key, offset);
    if (other > key) key = other;
  }
  return key;
}

// The largest key of the block, in all threads. All threads call it.
template <int THREADS>
__device__ Key block_max(Key key) {
  static_assert(THREADS % 32 == 0 && THREADS <= 1024, "a slot for each warp in one warp");
  __shared__ Key slots[THREADS / 32];
  const int lane = threadIdx.x % 32;
  key = warp_max(key);
  if (lane == 0) slots[threadIdx.x / 32] = key;
  __syncthreads();
  key = warp_max(lane < THREADS / 32 ? slots[lane] : NONE);
  __syncthreads();  // the slots are free for the next call
  return key;
}
