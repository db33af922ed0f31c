// Tiles get smaller, down to 512 items, until there is one for each block that runs at once.
//
// 400001 elements are 71 tiles of 5888 items, on a device that runs 1056 blocks. A small tile has
// fewer elements per thread to wait for and fewer long parts. Its search costs the same, but all
// searches run at the same time. Large inputs keep rung 9's tiles.
//
// Prediction: 400001 elements in 16384 segments take 11 us instead of 19: 2.7 us for a launch,
// three trips to memory for the search, three for ends and elements, and 3 us for the carries.
// 2^22 segments of 16 as rung 9.
// Measured: 11.6 us at 400001x16384, 39 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "../common/resident_blocks.h"
#include "../common/scratch.h"
#include "carry_sums.h"
#include "whole_block.h"

constexpr int LEAST_ITEMS = 512;

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  static Scratch<Run> scratch;
  static const int places = resident_blocks(tile_kernel, THREADS, 0);
  const int one_wave = kata::ceil_div(n + segments, places);
  const int items = min(max(one_wave, LEAST_ITEMS), TILE);
  const int tiles = kata::ceil_div(n + segments, items);
  Run* carries = scratch.get(tiles);
  tile_kernel<<<tiles, THREADS>>>(x, offsets, y, n, segments, items, carries);
  launch_add_carries(carries, y, tiles);
}
