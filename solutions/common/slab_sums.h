#pragma once
// What all tiles of a slab add up to, for blocks that work on the slabs in step.
//
// A slab is one tile per block: block b has tile b of each slab. Every block reads the sums of all
// tiles of a slab, so it knows both the sum of the tiles before its own and that of the whole slab,
// which goes to the next slab. No block waits for a sum that another one must compute first, as it
// does in look-back: a tile's own sum depends on its elements alone. And all blocks add in the same
// order, so the result is the same in every run.
//
// All blocks must be resident, and there must be no more of them than threads in a block.

#include "look_back.h"

template <class T>
struct SlabSums {
  T before;  // of the tiles before this block's
  T total;
};

// `first` is the slab's first tile and `count` how many it has. Calls alternate between parity 0
// and 1. Every thread of the block calls it, and gets the sums.
template <int THREADS, class T>
__device__ SlabSums<T> slab_sums(const TileStates& states, int first, int count, int parity) {
  __shared__ SlabSums<T> warp_sums[2][THREADS / 32];
  const int tid = threadIdx.x;
  const int warps = (count + 31) / 32;
  if (tid / 32 < warps) {
    Word word;
    do {  // all lanes of a warp wait together, those past the slab for its last tile
      word = observe(&states.words[first + min(tid, count - 1)]);
    } while (__any_sync(0xffffffffu, tag_of(word) != states.aggregate_tag()));
    T value = tid < count ? value_of<T>(word) : T(0);
    T before = tid < static_cast<int>(blockIdx.x) ? value : T(0);
    for (int offset = 16; offset > 0; offset /= 2) {
      value += __shfl_xor_sync(0xffffffffu, value, offset);
      before += __shfl_xor_sync(0xffffffffu, before, offset);
    }
    if (tid % 32 == 0) warp_sums[parity][tid / 32] = {before, value};
  }
  __syncthreads();
  SlabSums<T> sums = {T(0), T(0)};
  for (int w = 0; w < warps; ++w) {
    sums.before += warp_sums[parity][w].before;
    sums.total += warp_sums[parity][w].total;
  }
  return sums;
}
