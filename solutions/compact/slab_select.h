#pragma once
// Rung 6's kernel: compact by slabs of tiles (common/slab_sums.h).

#include <kata/kata.h>

#include "../common/resident_blocks.h"
#include "../common/slab_sums.h"
#include "../common/tile_copy.h"
#include "tile_select.h"

constexpr int SLAB_THREADS = 512;
constexpr int SLAB_STAGES = 3;  // the tile of the slab before, the current one, the next one
constexpr int SLAB_BLOCKS_PER_SM = 2;
using SlabTile = TileSelect<SLAB_THREADS>;  // 8192 elements, 32 KiB
constexpr int SLAB_SHARED_BYTES = SLAB_STAGES * SlabTile::SIZE * sizeof(float);

__global__ void __launch_bounds__(SLAB_THREADS, SLAB_BLOCKS_PER_SM)
    slab_kernel(const float* x, float* y, int* count, int n, int tiles, TileStates states) {
  extern __shared__ float4 stages[];  // [SLAB_STAGES][SlabTile::SIZE]
  const int tid = threadIdx.x;
  const int blocks = gridDim.x;
  const auto stage = [&](int k) {
    return reinterpret_cast<float*>(stages) + k % SLAB_STAGES * SlabTile::SIZE;
  };
  const auto start_copy = [&](int k) {  // of this block's tile in slab k, if there is one
    const int number = blockIdx.x + k * blocks;
    const int first = number < tiles ? number * SlabTile::SIZE : 0;
    copy_tile<SlabTile::ROUNDS>(stage(k), x + first, number < tiles ? n - first : 0);
  };
  for (int k = 0; k < SLAB_STAGES - 1; ++k) start_copy(k);

  unsigned done = 0;        // kept in all slabs before the last one
  unsigned last_total = 0;  // kept in this block's last tile
  for (int k = 0; (k - 1) * blocks < tiles; ++k) {
    const int number = blockIdx.x + k * blocks;
    unsigned total = 0;
    if (number < tiles) {
      __pipeline_wait_prior(SLAB_STAGES - 2);
      SlabTile tile;
      tile.load(stage(k), n - number * SlabTile::SIZE);
      total = tile.rank();  // with a barrier: all elements are in registers
      if (tid == 0) publish(&states.words[number], states.aggregate_tag(), total);
      tile.scatter(stage(k));
    }
    const int before = number - blocks;
    if (k > 0 && before < tiles) {
      const int first = (k - 1) * blocks;
      const auto sums =
          slab_sums<SLAB_THREADS, unsigned>(states, first, min(blocks, tiles - first), k % 2);
      float* out = y + done + sums.before;
      const float* kept = stage(k - 1);
#pragma unroll 4
      for (unsigned i = tid; i < last_total; i += SLAB_THREADS) out[i] = kept[i];
      if (before == tiles - 1 && tid == 0) *count = done + sums.before + last_total;
      done += sums.total;
    }
    __syncthreads();  // the next copy goes to the buffer of the slab before
    start_copy(k + SLAB_STAGES - 1);
    last_total = total;
  }
}

// How many blocks run at once.
inline int slab_blocks() {
  static const int most =
      min(resident_blocks(slab_kernel, SLAB_THREADS, SLAB_SHARED_BYTES), SLAB_THREADS);
  return most;
}

// A block waits for tiles of other blocks, so all of them must be resident.
inline void compact_by_slabs(const float* x, float* y, int* count, int n) {
  const int tiles = kata::ceil_div(n, SlabTile::SIZE);
  const int blocks = min(tiles, slab_blocks());
  slab_kernel<<<blocks, SLAB_THREADS, SLAB_SHARED_BYTES>>>(x, y, count, n, tiles,
                                                           new_tile_states(tiles));
}
