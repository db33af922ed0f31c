#pragma once
// Rung 10's kernel: the scan by slabs of tiles (common/slab_sums.h).

#include <kata/kata.h>

#include "../common/resident_blocks.h"
#include "../common/slab_sums.h"
#include "../common/tile_copy.h"
#include "tile_scan.h"

constexpr int SLAB_THREADS = 1024;

template <int ROUNDS, int STAGES>
__global__ void __launch_bounds__(SLAB_THREADS, 1)
    slab_kernel(const float* x, float* y, int n, int tiles, TileStates states) {
  using Tile = TileScan<SLAB_THREADS, ROUNDS>;
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
    const auto sums =
        slab_sums<SLAB_THREADS, float>(states, first, min(blocks, tiles - first), k % 2);
    last.store(y + before * Tile::SIZE, n - before * Tile::SIZE, done + sums.before);
    done += sums.total;
  };
  Tile even, odd;  // of slabs with even and odd numbers
  for (int k = 0; (k - 1) * blocks < tiles; k += 2) {
    step(k, even, odd);
    step(k + 1, odd, even);
  }
}

// How many blocks run at once.
template <int ROUNDS, int STAGES>
int slab_blocks() {
  constexpr int SHARED_BYTES = STAGES * TileScan<SLAB_THREADS, ROUNDS>::SIZE * sizeof(float);
  static const int most =
      min(resident_blocks(slab_kernel<ROUNDS, STAGES>, SLAB_THREADS, SHARED_BYTES), SLAB_THREADS);
  return most;
}

// A block waits for tiles of other blocks, so all of them must be resident.
template <int ROUNDS, int STAGES>
void scan_by_slabs(const float* x, float* y, int n) {
  constexpr int SIZE = TileScan<SLAB_THREADS, ROUNDS>::SIZE;
  const int tiles = kata::ceil_div(n, SIZE);
  const int blocks = min(tiles, slab_blocks<ROUNDS, STAGES>());
  slab_kernel<ROUNDS, STAGES><<<blocks, SLAB_THREADS, STAGES * SIZE * sizeof(float)>>>(
      x, y, n, tiles, new_tile_states(tiles));
}
