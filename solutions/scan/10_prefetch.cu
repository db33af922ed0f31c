// Prefetch: each block copies its next tiles to shared memory while it waits for earlier sums.
//
// In rung 9 the blocks move in step: all load, then all look back, then all store, and memory
// idles in between. Here a block stays on its SM and works on every 264th tile. Copies of two
// further tiles are always under way (cp.async), so reads continue during look-back and stores. A
// thread copies the very elements that it scans, so it waits for its own copies and needs no
// barrier.
//
// Prediction: per SM two blocks with 64 KiB of copies in flight, where 23 KiB cover the latency.
// Reads and writes overlap at any time: 2n words at nearly the speed of a copy, 130 us at 2^26,
// 140 us with start and end. Missed: slower than rung 9.
// Measured: 271.2 us at 67108864, 47 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/look_back.h"
#include "../common/tile_copy.h"
#include "tile_scan.h"

constexpr int THREADS = 512;
constexpr int ROUNDS = 4;
constexpr int STAGES = 3;  // the current tile and the copies of two more
constexpr int BLOCKS_PER_SM = 2;
using Tile = TileScan<THREADS, ROUNDS>;  // 8192 elements, 32 KiB
constexpr int SHARED_BYTES = STAGES * Tile::SIZE * sizeof(float);

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    scan_kernel(const float* x, float* y, int n, int tiles, TileStates states) {
  extern __shared__ float4 stages[];  // [STAGES][Tile::SIZE]
  __shared__ float carry;
  const int tid = threadIdx.x;
  const auto stage = [&](int k) {
    return reinterpret_cast<float*>(stages) + k % STAGES * Tile::SIZE;
  };
  const auto start_copy = [&](int k) {  // of this block's k-th tile, if there is one
    const int number = blockIdx.x + k * gridDim.x;
    const int first = number < tiles ? number * Tile::SIZE : 0;
    copy_tile<ROUNDS>(stage(k), x + first, number < tiles ? n - first : 0);
  };

  for (int k = 0; k < STAGES - 1; ++k) start_copy(k);
  for (int k = 0, number = blockIdx.x; number < tiles; ++k, number += gridDim.x) {
    start_copy(k + STAGES - 1);
    __pipeline_wait_prior(STAGES - 1);
    const int first = number * Tile::SIZE;
    Tile tile;
    tile.load(stage(k), n - first);
    const float total = tile.scan();
    if (tid < 32) {
      if (tid == 0) publish(&states.words[number], states.aggregate_tag(), total);
      const float before = look_back<float, 8>(states, number);
      if (tid == 0) {
        publish(&states.words[number], states.inclusive_tag(), before + total);
        carry = before;
      }
    }
    __syncthreads();
    tile.store(y + first, n - first, carry);
  }
}

extern "C" void scan(const float* x, float* y, int n) {
  // A block waits for tiles of other blocks, so all of them must be resident.
  static const int most = resident_blocks(scan_kernel, BLOCKS_PER_SM, SHARED_BYTES);
  const int tiles = kata::ceil_div(n, Tile::SIZE);
  const int blocks = tiles < most ? tiles : most;
  scan_kernel<<<blocks, THREADS, SHARED_BYTES>>>(x, y, n, tiles, new_tile_states(tiles));
}
