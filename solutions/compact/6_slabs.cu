// Slabs: the blocks work in step, and each adds up all tile counts itself, one step later.
//
// The idea of scan's rung 10: a block stays on its SM, works on every 264th tile, and a slab is one
// tile of each block. A block publishes its count and puts the kept elements in order in the buffer
// of the tile. Then it reads the counts of the slab before (slab_sums.h), which have had a whole
// step to arrive, and stores the kept elements of that slab. The next tile is already on its way.
//
// Prediction: no chain of counts, and reads continue during the stores: 112 us at 2^26. Missed:
// a block still waits for the slowest one in each of 32 steps. A trial took 135 us.
// Measured: 134.1 us at 67108864, 71 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

#include "../common/resident_blocks.h"
#include "../common/slab_sums.h"
#include "../common/tile_copy.h"
#include "tile_select.h"

constexpr int THREADS = 512;
constexpr int STAGES = 3;  // the tile of the slab before, the current one and the copy of the next
constexpr int BLOCKS_PER_SM = 2;
using Tile = TileSelect<THREADS>;  // 8192 elements, 32 KiB
constexpr int SHARED_BYTES = STAGES * Tile::SIZE * sizeof(float);

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    compact_kernel(const float* x, float* y, int* count, int n, int tiles, TileStates states) {
  extern __shared__ float4 stages[];  // [STAGES][Tile::SIZE]
  const int tid = threadIdx.x;
  const int blocks = gridDim.x;
  const auto stage = [&](int k) {
    return reinterpret_cast<float*>(stages) + k % STAGES * Tile::SIZE;
  };
  const auto start_copy = [&](int k) {  // of this block's tile in slab k, if there is one
    const int number = blockIdx.x + k * blocks;
    const int first = number < tiles ? number * Tile::SIZE : 0;
    copy_tile<Tile::ROUNDS>(stage(k), x + first, number < tiles ? n - first : 0);
  };
  for (int k = 0; k < STAGES - 1; ++k) start_copy(k);

  unsigned done = 0;        // kept in all slabs before the last one
  unsigned last_total = 0;  // kept in this block's last tile
  for (int k = 0; (k - 1) * blocks < tiles; ++k) {
    const int number = blockIdx.x + k * blocks;
    unsigned total = 0;
    if (number < tiles) {
      __pipeline_wait_prior(STAGES - 2);
      Tile tile;
      tile.load(stage(k), n - number * Tile::SIZE);
      total = tile.rank();  // with a barrier: all elements are in registers
      if (tid == 0) publish(&states.words[number], states.aggregate_tag(), total);
      tile.scatter(stage(k));
    }
    const int before = number - blocks;
    if (k > 0 && before < tiles) {
      const int first = (k - 1) * blocks;
      const auto sums =
          slab_sums<THREADS, unsigned>(states, first, min(blocks, tiles - first), k % 2);
      float* out = y + done + sums.before;
      const float* kept = stage(k - 1);
#pragma unroll 4
      for (unsigned i = tid; i < last_total; i += THREADS) out[i] = kept[i];
      if (before == tiles - 1 && tid == 0) *count = done + sums.before + last_total;
      done += sums.total;
    }
    __syncthreads();  // the next copy goes to the buffer of the slab before
    start_copy(k + STAGES - 1);
    last_total = total;
  }
}

extern "C" void compact(const float* x, float* y, int* count, int n) {
  // A block waits for tiles of other blocks, so all of them must be resident.
  static const int most =
      min(resident_blocks(compact_kernel, THREADS, SHARED_BYTES), THREADS);
  const int tiles = kata::ceil_div(n, Tile::SIZE);
  const int blocks = tiles < most ? tiles : most;
  compact_kernel<<<blocks, THREADS, SHARED_BYTES>>>(x, y, count, n, tiles, new_tile_states(tiles));
}
