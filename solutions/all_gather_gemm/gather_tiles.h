#pragma once
// The tiles of rung 5, which wait for the rows that the idle warps bring.

#include "../common/cluster_roles.h"
#include "../common/device_flags.h"
#include "chunks.h"

using Count = unsigned long long;
constexpr int ROUND = 1 << 16;    // a round's counts begin at a multiple of it
constexpr int COUNTS = 32 << 10;  // bytes: those of rows; behind them: started and read, by device

/// One more, after what this thread has done, for threads of this device.
__device__ inline void add_here(Count* count) {
  asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(count), "l"(Count{1}) : "memory");
}

struct GatheredRows {
  static constexpr bool ADDS = false;
  CUtensorMap own, gathered, B, C;  // own shard; all shards, in scratch; C by shard
  const uint4* shards[MAX_GPUS];    // A of each device
  uint4* copies;                    // the shards, in scratch
  Count* come;                // by shard and row of tiles: warps that have brought their share
  unsigned* flags[MAX_GPUS];  // of each device: started, by device, then read, by device
  unsigned round;
  int shard, N, K, gpus, me;

  struct Tile {
    int device, tile_row, row, col;  // device of its rows of A; row: the block's first in the shard
  };
  __host__ __device__ int tile_rows() const { return kata::ceil_div(shard, ROWS); }
  __device__ Count* count_of(int device, int tile_row) const {
    return come + device * tile_rows() + tile_row;
  }
  __device__ void wait_for_rows(int device, int tile_row) const {
    const Count all = Count{round} * ROUND + gridDim.x * (HELPERS / 32);
    Count seen;
    do {
      asm volatile("ld.acquire.gpu.global.u64 %0, [%1];"
                   : "=l"(seen)
                   : "l"(count_of(device, tile_row))
                   : "memory");
    } while (seen < all);
  }

  __device__ void wait_for(const Tile& tile) const {
    if (tile.device == me) return;
    wait_for_rows(tile.device, tile.tile_row);
    fence_async_global();
  }
  __device__ void load_A(char* to, const Tile& tile, int k0, Barrier* full) const {
    if (tile.device == me) {
      load_box_of(to, own, 0, tile.row, k0, full);
    } else {
      load_box_of(to, gathered, tile.device, tile.row, k0, full);
    }
  }
  __device__ void store(const Tile& tile, int row, int panel, const char* from) const {
    store_box_of(C, tile.device, tile.row + row, tile.col + panel, from);
  }
  __device__ void stored(const Tile&, int) const {}
};
