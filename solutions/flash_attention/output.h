#pragma once
// The way out of rungs 12 and 13: shared memory, then the TMA unit.

#include "ring.h"

template <int DIM, int KEYS = BN>
struct Shared {
  Ring<DIM, KEYS> ring;
  alignas(1024) Tile<DIM, 64> output[CONSUMERS];
};

// A warpgroup's way out, by one of its threads.
template <int DIM, int KEYS = BN>
class Output {
 public:
  __device__ Output(Tile<DIM, 64>& tile, int warpgroup)
      : tile_(tile), barrier_(3 + warpgroup), issues_(threadIdx.x % WARPGROUP == 0) {}

  __device__ void store(WarpgroupRows<DIM, KEYS>& rows, const CUtensorMap& O, const Work& work) {
    if (issues_) wait_stores_read<0>();  // of the last piece
    warpgroup_barrier(barrier_);
    rows.store(tile_);
    fence_async();
    warpgroup_barrier(barrier_);
    if (issues_) store_tile(O, work.row0 + 64 * (barrier_ - 3), work.head, tile_);
  }
  __device__ void finish() const {
    if (issues_) wait_stores_read<0>();
  }

 private:
  Tile<DIM, 64>& tile_;
  const int barrier_;
  const bool issues_;
};
