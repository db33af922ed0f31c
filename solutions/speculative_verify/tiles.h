#pragma once
// Sums of tiles of 2048 tokens, and the walk that needs only one of them: rungs 4 and 5.

#include <kata/kata.h>

#include "walk.h"

constexpr int TILE = 2048;
constexpr int MOST_TILES = 128;  // 262144 tokens

// The sum of a tile's weights, in all threads. All THREADS threads of the block call it.
template <int THREADS>
__device__ float tile_sum(const Weights& weights, int tile, int vocab) {
  float own = 0.0f;
#pragma unroll
  for (int k = 0; k < TILE / THREADS; ++k) {
    const int v = tile * TILE + k * THREADS + threadIdx.x;
    if (v < vocab) own += weights[v];
  }
  float sum;
  block_exclusive_scan<THREADS>(own, sum);
  return sum;
}

// Finds the tile whose end is above the bound, or else the last one with weight, and walks over it.
// `walk` is a new one in shared memory; all THREADS >= MOST_TILES threads call it.
template <int THREADS>
__device__ void walk_tile(const Weights& weights, const float* sums, int tiles, int vocab,
                          float number, Walk& walk) {
  static_assert(THREADS >= MOST_TILES, "a thread per tile");
  __shared__ float befores[MOST_TILES];
  __shared__ Walk over_tiles;
  const int tile = threadIdx.x;
  if (tile == 0) over_tiles = new_walk();
  const float sum = tile < tiles ? sums[tile] : 0.0f;
  float total;
  const float before = block_exclusive_scan<THREADS>(sum, total);
  const float bound = number * total;
  if (tile < tiles) befores[tile] = before;
  if (sum > 0.0f) {
    atomicMax(&over_tiles.last, tile);
    if (before + sum > bound) atomicMin(&over_tiles.first, tile);
  }
  __syncthreads();
  const int chosen = token_of(over_tiles);
  walk_tokens<THREADS>(weights, chosen * TILE, min((chosen + 1) * TILE, vocab), befores[chosen],
                       bound, walk);
}
