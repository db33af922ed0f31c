#pragma once
// The tiles of a device's product by the device that owns their rows: that of the next device
// first, the own ones last. So no owner gets all parts at once, and a block that waits for peers in
// an own tile has sent all that they may wait for.

#include "../common/tile_roles.h"
#include "parts.h"

struct OwnedTiles {
  CUtensorMap A, B;
  int shard, N, gpus, me;  // shard: rows of an owner

  struct Tile {
    int owner, row, col;  // first row in the owner's rows
  };
  __host__ __device__ TileOrder of_one_owner() const {
    return {kata::ceil_div(shard, BM), kata::ceil_div(N, BN)};
  }
  __host__ __device__ int count() const { return gpus * of_one_owner().count(); }
  __device__ int first() const { return blockIdx.x; }
  __device__ int next(int i) const { return i + gridDim.x; }
  __device__ Tile operator[](int i) const {
    const TileOrder order = of_one_owner();
    const int2 tile = order[i % order.count()];
    return {(me + 1 + i / order.count()) % gpus, tile.x * BM, tile.y * BN};
  }

  __device__ void wait_for(int) const {}
  __device__ void load(Tiles<BM>& stage, int i, int k0, Barrier* full) const {
    const Tile tile = (*this)[i];
    load_box(stage.A, A, tile.owner * shard + tile.row, k0, full);
    load_panels(stage, B, tile.col, k0, full);
  }
};

/// What device g has to multiply.
inline void set_matrices(OwnedTiles& tiles, const __nv_bfloat16* A, const __nv_bfloat16* B, int K,
                         int g) {
  tiles.me = g;
  tiles.A = tensor_map(A, tiles.gpus * tiles.shard, K, K, BM);
  tiles.B = tensor_map(B, K, tiles.N, tiles.N, 64);
}

/// Whether the TMA unit can read A and B.
inline bool is_aligned(int N, int K) {
  return N % 8 == 0 && K % 8 == 0;
}
