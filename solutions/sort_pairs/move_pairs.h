#pragma once
// Moves a sorted tile to its places: the keys first, then the values through the same memory.

#include "../radix_sort/radix_tile.h"
#include "passes.h"

// `sorted` holds the tile's keys in order. offset[d] is what leads from a place in the tile to a
// place in the output for digit d. This thread's pairs are those of RadixTile::load(), and place[k]
// is where pair k is in the sorted tile. `count` pairs exist; values[0] is that of the tile's first
// pair. All THREADS threads call it.
//
// Neighbouring threads move neighbouring pairs of the sorted tile, so a warp stores runs. Where a
// pair goes stays in a register: when the values are in order, its key is no longer there.
template <int THREADS, int ITEMS>
__device__ void move_pairs(unsigned* sorted, const unsigned (&place)[ITEMS], const unsigned* offset,
                           int shift, int count, const int* values, PairsOut to) {
  const int tid = threadIdx.x;
  const int mine = tid / 32 * (32 * ITEMS) + tid % 32;
  int value[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = mine + 32 * k;
    value[k] = i < count ? values[i] : 0;
  }
  unsigned target[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = tid + k * THREADS;
    const unsigned key = sorted[i];
    target[k] = offset[digit_of(key, shift)] + i;
    if (i < count) to.keys[target[k]] = key;
  }
  __syncthreads();  // all have read the keys
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) sorted[place[k]] = static_cast<unsigned>(value[k]);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = tid + k * THREADS;
    if (i < count) to.values[target[k]] = static_cast<int>(sorted[i]);
  }
}
