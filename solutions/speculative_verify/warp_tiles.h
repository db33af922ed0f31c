#pragma once
// Rung 6's tiles: 512 tokens of a warp, whose loads are all under way at once.

#include "../common/pack.h"
#include "sequence.h"

constexpr int WARP_TILE = 512;

// The sum of a tile's weights, in all lanes. WIDTH tokens per load: 4, where all rows begin at
// multiples of 16 bytes, or 1.
template <int WIDTH>
__device__ float warp_tile_sum(const Weights& weights, int tile, int vocab) {
  constexpr int LOADS = WARP_TILE / 32 / WIDTH;
  const int begin = tile * WARP_TILE + threadIdx.x % 32 * WIDTH;
  const auto load = [&](Pack<float, WIDTH>(&packs)[LOADS], const float* row) {
#pragma unroll
    for (int i = 0; i < LOADS; ++i) {
      const int v = begin + i * 32 * WIDTH;
      packs[i] = v < vocab ? load_pack<WIDTH>(row + v) : Pack<float, WIDTH>();
    }
  };
  Pack<float, WIDTH> q[LOADS], p[LOADS] = {};
  load(q, weights.q);
  if (weights.p) load(p, weights.p);
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < LOADS; ++i) {
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) sum += fmaxf(q[i].at[k] - p[i].at[k], 0.0f);
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  return sum;
}
