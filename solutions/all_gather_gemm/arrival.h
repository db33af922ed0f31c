#pragma once
// The tiles of C in the order in which their rows of A arrive, and the flags that say so.

#include <cuda_bf16.h>

#include "../common/device_flags.h"
#include "../common/tile_roles.h"
#include "chunks.h"

/// A shard of A is its rows on one device. Rows of tiles begin anew with each shard, so that a tile
/// waits for one flag and a box reads nothing that has not come.
struct Arrival {
  CUtensorMap own, gathered, B;  // own shard; all shards, in scratch
  __nv_bfloat16* C;
  unsigned* flags;  // by shard and row of tiles: the last round in which it came
  unsigned round;
  int shard, N, gpus, me;  // shard: its rows
  int head;                // so many tiles are for the blocks from `helpers` on, which do not copy
  int helpers;

  __host__ __device__ int tile_rows() const { return kata::ceil_div(shard, BM); }
  __host__ __device__ TileOrder order() const {
    return {gpus * tile_rows(), kata::ceil_div(N, BN)};
  }
  __device__ int count() const { return order().count(); }
  __device__ int first() const {
    const int worker = static_cast<int>(blockIdx.x) - helpers;
    return worker >= 0 && worker < head ? worker : head + blockIdx.x;
  }
  __device__ int next(int i) const {
    if (i >= head) return i + gridDim.x;
    const int in_head = i + gridDim.x - helpers;
    return in_head < head ? in_head : head + blockIdx.x;
  }

  struct Tile {
    int device, row, col;  // of its rows of A; first row in the shard
  };
  __device__ Tile operator[](int i) const {
    const int2 tile = order()[i];
    return {(me + tile.x / tile_rows()) % gpus, tile.x % tile_rows() * BM, tile.y * BN};
  }
  __host__ __device__ unsigned* flag(int device, int row) const {
    return flags + device * tile_rows() + row / BM;
  }

  __device__ void wait_for(int i) const {
    const Tile tile = (*this)[i];
    if (tile.device == me) return;
    wait_here(flag(tile.device, tile.row), round);
    fence_async_global();
  }
  __device__ void load(Tiles<BM>& stage, int i, int k0, Barrier* full) const {
    const Tile tile = (*this)[i];
    if (tile.device == me) {
      load_box_of(stage.A, own, 0, tile.row, k0, full);
    } else {
      load_box_of(stage.A, gathered, tile.device, tile.row, k0, full);
    }
    load_panels(stage, B, tile.col, k0, full);
  }
  __device__ void store(int i, const uint32_t (&sum)[128], int warpgroup) const {
    const Tile tile = (*this)[i];
    const StorePairs rows{C + static_cast<size_t>(tile.device) * shard * N, shard, N};
    for_each_pair<__nv_bfloat16>(sum, tile.row + 64 * warpgroup, tile.col, rows);
  }
};

/// Whether the TMA unit can read A and B.
inline bool is_aligned(int N, int K) {
  return N % 8 == 0 && K % 8 == 0;
}

/// What device g does; all its blocks do the same.
inline Arrival arrival_of(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C,
                          void* scratch, int M, int N, int K, int gpus, int g, unsigned round) {
  Arrival work = {};
  work.shard = M / gpus, work.N = N, work.gpus = gpus, work.me = g;
  work.own = map_of_stack(A, 1, work.shard, K);
  work.gathered = map_of_stack(gathered(scratch), gpus, work.shard, K);
  work.B = tensor_map(B, K, N, N, 64);
  work.C = C, work.flags = static_cast<unsigned*>(scratch), work.round = round;
  return work;
}
