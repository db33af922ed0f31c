// A long part of a tile is added up by the whole block, one long part after the other.
//
// In rung 7 a part of 5000 elements costs its warp 20 trips to memory, while seven warps wait at
// the end of the tile. 256 threads need three trips and a block sum. Parts of up to 1024 elements
// stay with a warp each. A tile in which no segment ends is one part, so this includes rung 8. The
// kernel is in whole_block.h.
//
// Prediction: 16 segments of 2^20 as rung 8, 34 us; the power law 125 us instead of 165, where many
// tiles hold such a part. Missed: 29 us for 16 segments, but the power law and segments of 16 take
// 7 to 11 % longer: the second list and its barrier cost more than they save there.
// Measured: 29.4 us at 16777216x16, 64 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "carry_sums.h"
#include "whole_block.h"

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  static Scratch<Run> scratch;
  const int tiles = tile_count(n, segments);
  Run* carries = scratch.get(tiles);
  tile_kernel<<<tiles, THREADS>>>(x, offsets, y, n, segments, TILE, carries);
  launch_add_carries(carries, y, tiles);
}
