#pragma once
// What a tile of 512 tokens adds to the nucleus, and the walk that reads only one tile.

#include "../common/block_scan.h"
#include "packs.h"
#include "walk.h"

constexpr int TILE = 512;
constexpr int MOST_TILES = 262144 / TILE;

// Of the tokens of a tile, or of several: the weight of those above the cut, and how many are at
// it.
struct TileSum {
  float above;
  int ties;

  // The weight in the nucleus, if `before` tokens at the cut come before these.
  __device__ float weight(Cut cut, int before) const {
    const int taken = min(max(cut.ties - before, 0), ties);
    return above + static_cast<float>(taken) * weight_of(cut.depth);
  }
};

// Tokens [begin, min(begin + TILE, end)), by a warp; the result is in all lanes.
template <int WIDTH>
__device__ TileSum warp_tile_sum(const float* row, int begin, int end, int top, Cut cut) {
  constexpr int LOADS = TILE / 32 / WIDTH;
  Pack<float, WIDTH> packs[LOADS];
#pragma unroll
  for (int i = 0; i < LOADS; ++i) {
    packs[i] = load_logits<WIDTH>(row, begin + (i * 32 + threadIdx.x % 32) * WIDTH, end);
  }
  TileSum sum = {0.0f, 0};
#pragma unroll
  for (int i = 0; i < LOADS; ++i) {
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      const int depth = top - step_of(packs[i].at[k]);
      if (depth < cut.depth) sum.above += weight_of(depth);
      sum.ties += depth == cut.depth;
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum.above += __shfl_xor_sync(0xffffffffu, sum.above, offset);
    sum.ties += __shfl_xor_sync(0xffffffffu, sum.ties, offset);
  }
  return sum;
}

// The sums of a block's tiles, in shared memory. `first` is the first of its `tiles` tiles.
struct Tiles {
  float above[MOST_TILES];
  int ties[MOST_TILES];

  template <int THREADS, int WIDTH>
  __device__ void sum_up(const float* row, int vocab, int first, int tiles, int top, Cut cut) {
    for (int t = threadIdx.x / 32; t < tiles; t += THREADS / 32) {
      const TileSum sum = warp_tile_sum<WIDTH>(row, (first + t) * TILE, vocab, top, cut);
      if (threadIdx.x % 32 == 0) above[t] = sum.above, ties[t] = sum.ties;
    }
    __syncthreads();
  }

  // Of tile t; 0 if t is not below `tiles`.
  __device__ TileSum at(int t, int tiles) const {
    return t < tiles ? TileSum{above[t], ties[t]} : TileSum{0.0f, 0};
  }

  // Of all tiles, at most THREADS of them; the result is in all threads.
  template <int THREADS>
  __device__ TileSum total(int tiles) const {
    const TileSum own = at(threadIdx.x, tiles);
    TileSum all;
    block_exclusive_scan<THREADS>(own.above, all.above);
    block_exclusive_scan<THREADS>(own.ties, all.ties);
    return all;
  }
};

// Finds the tile whose end is above the bound, or else the last one with weight, and walks through
// it. `before` and `ties_before` are the nucleus's weight and the ties before the block's tiles.
template <int THREADS>
__device__ int walk_tiles(const float* row, int vocab, int first, int tiles, const Tiles& sums,
                          int top, Cut cut, float before, int ties_before, float bound) {
  static_assert(THREADS >= MOST_TILES && THREADS >= TILE, "a thread per tile, and per token");
  __shared__ Walk over_tiles, walk;
  __shared__ int chosen_ties;
  __shared__ float chosen_before;
  const int tid = threadIdx.x;
  if (tid == 0) over_tiles = walk = new_walk();
  const TileSum sum = sums.at(tid, tiles);
  int all_ties;
  float all;
  ties_before += block_exclusive_scan<THREADS>(sum.ties, all_ties);
  const float w = sum.weight(cut, ties_before);
  before += block_exclusive_scan<THREADS>(w, all);
  note(over_tiles, tid, w, before + w, bound);
  __syncthreads();
  const int chosen = token_of(over_tiles);
  if (tid == chosen) chosen_before = before, chosen_ties = ties_before;
  __syncthreads();

  const int v = (first + chosen) * TILE + tid;
  const int depth = tid < TILE && v < vocab ? top - step_of(row[v]) : INT_MAX;
  const int is_tie = depth == cut.depth;
  const int rank = chosen_ties + block_exclusive_scan<THREADS>(is_tie, all_ties);
  const bool is_in = depth < cut.depth || (is_tie && rank < cut.ties);
  const float its = is_in ? weight_of(depth) : 0.0f;
  const float running = chosen_before + block_exclusive_scan<THREADS>(its, all) + its;
  note(walk, v, its, running, bound);
  __syncthreads();
  return token_of(walk);
}
