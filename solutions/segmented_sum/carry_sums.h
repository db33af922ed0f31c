#pragma once
// The second kernel of rungs 5 and 6: adds what tiles know of segments that end in a later tile.
//
// The tile in which a segment ends stores the sum of its own part. Every tile before it that holds
// a part leaves that as a carry. The carries of a segment belong to consecutive tiles.

#include <kata/kata.h>

#include "../common/block_sum.h"
#include "run_scan.h"

constexpr int CARRY_THREADS = 256;
constexpr int TILES_PER_BLOCK = CARRY_THREADS / 32;

// A warp per tile. That of a segment's first carry adds up all of them, in a fixed order.
__global__ void add_carries(const Run* carries, float* y, int tiles) {
  const int lane = threadIdx.x % 32;
  const int tile = blockIdx.x * TILES_PER_BLOCK + threadIdx.x / 32;
  if (tile >= tiles) return;  // the whole warp
  const int segment = carries[tile].segment;
  if (segment < 0 || (tile > 0 && carries[tile - 1].segment == segment)) return;
  float sum = 0.0f;
  bool belongs = true;
  for (int t = tile + lane; __any_sync(0xffffffffu, belongs); t += 32) {
    belongs = t < tiles && carries[t].segment == segment;
    if (belongs) sum += carries[t].sum;
  }
  sum = warp_sum(sum);
  if (lane == 0) y[segment] += sum;
}

inline void launch_add_carries(const Run* carries, float* y, int tiles) {
  add_carries<<<kata::ceil_div(tiles, TILES_PER_BLOCK), CARRY_THREADS>>>(carries, y, tiles);
}
