// Slabs: the blocks work in step, and each adds up all tile sums itself, one step later.
//
// In rung 9 a tile waits for what earlier tiles have found out, and the SM's memory idles meanwhile.
// Here a block stays on its SM and takes every 132nd tile; a slab is one tile of each block. It
// scans its tile and publishes the sum, then reads the sums of the slab before (slab_sums.h), which
// have had a whole step to arrive, and stores the tile of that slab from registers. Copies of
// three further tiles are always under way (cp.async): a thread copies the elements that it scans.
//
// Prediction: nothing waits for a chain, 192 KB in flight per SM: 142 us at 2^26. Missed: a block
// still waits for the slowest one in each of 32 steps. A trial took 160 us (rung 9: 184).
// Measured: 153.1 us at 67108864, 83 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

#include "../common/resident_blocks.h"
#include "../common/slab_sums.h"
#include "../common/tile_copy.h"
#include "tile_scan.h"

constexpr int THREADS = 1024;
constexpr int ROUNDS = 4;
constexpr int STAGES = 3;
using Tile = TileScan<THREADS, ROUNDS>;  // 16384 elements, 64 KiB
constexpr int SHARED_BYTES = STAGES * Tile::SIZE * sizeof(float);

__global__ void __launch_bounds__(THREADS, 1)
    scan_kernel(const float* x, float* y, int n, int tiles, TileStates states) {
  extern __shared__ float4 stages[];  // [STAGES][Tile::SIZE]
  const int blocks = gridDim.x;
  const auto stage = [&](int k) {
    return reinterpret_cast<float*>(stages) + k % STAGES * Tile::SIZE;
  };
  const auto start_copy = [&](int k) {  // of this block's tile in slab k, if there is one
    const int number = blockIdx.x + k * blocks;
    const int first = number < tiles ? number * Tile::SIZE : 0;
    copy_tile<ROUNDS>(stage(k), x + first, number < tiles ? n - first : 0);
  };
  for (int k = 0; k < STAGES; ++k) start_copy(k);

  float done = 0.0f;  // the sum of all slabs before the last one
  const auto step = [&](int k, Tile& current, const Tile& last) {
    const int number = blockIdx.x + k * blocks;
    if (number < tiles) {
      __pipeline_wait_prior(STAGES - 1);
      current.load(stage(k), n - number * Tile::SIZE);
      const float total = current.scan();
      start_copy(k + STAGES);
      if (threadIdx.x == 0) publish(&states.words[number], states.aggregate_tag(), total);
    }
    const int before = number - blocks;
    if (k == 0 || before >= tiles) return;
    const int first = (k - 1) * blocks;
    const auto sums = slab_sums<THREADS, float>(states, first, min(blocks, tiles - first), k % 2);
    last.store(y + before * Tile::SIZE, n - before * Tile::SIZE, done + sums.before);
    done += sums.total;
  };
  Tile even, odd;  // of slabs with even and odd numbers
  for (int k = 0; (k - 1) * blocks < tiles; k += 2) {
    step(k, even, odd);
    step(k + 1, odd, even);
  }
}

extern "C" void scan(const float* x, float* y, int n) {
  // A block waits for tiles of other blocks, so all of them must be resident.
  static const int most = min(resident_blocks(scan_kernel, THREADS, SHARED_BYTES), THREADS);
  const int tiles = kata::ceil_div(n, Tile::SIZE);
  const int blocks = tiles < most ? tiles : most;
  scan_kernel<<<blocks, THREADS, SHARED_BYTES>>>(x, y, n, tiles, new_tile_states(tiles));
}
