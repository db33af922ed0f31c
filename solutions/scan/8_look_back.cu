// Decoupled look-back: a tile adds up what earlier tiles have published instead of waiting.
//
// Every tile publishes its own total as soon as it has it. A later tile needs no finished prefix:
// one warp reads the words of the 32 tiles before it and adds totals up to the nearest inclusive
// sum (common/look_back.h). Merrill and Garland, 2016. The grouping depends on timing, so float
// results may differ in the last bits from run to run.
//
// Prediction: 2n words, 130 us at 2^26, plus what the look-back cannot hide. Some 600 tiles of
// 16 KiB are in flight; a look-back takes one or two L2 round trips of 0.7 us out of a tile's life
// of about 5 us: 150 to 160 us.
// Measured: 256.6 us at 67108864, 69 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/look_back.h"
#include "tile_scan.h"

constexpr int THREADS = 256;
using Tile = TileScan<THREADS, 4>;  // 4096 elements

__global__ void scan_kernel(const float* x, float* y, int n, TileStates states) {
  __shared__ float carry;
  const int tid = threadIdx.x;
  const int number = take_tile(states);
  const int first = number * Tile::SIZE;
  Tile tile;
  tile.load(x + first, n - first);
  const float total = tile.scan();
  if (tid < 32) {
    if (tid == 0) publish(&states.words[number], states.aggregate_tag(), total);
    const float before = look_back<float, 1>(states, number);
    if (tid == 0) {
      publish(&states.words[number], states.inclusive_tag(), before + total);
      carry = before;
    }
  }
  __syncthreads();
  tile.store(y + first, n - first, carry);
}

extern "C" void scan(const float* x, float* y, int n) {
  const int tiles = kata::ceil_div(n, Tile::SIZE);
  scan_kernel<<<tiles, THREADS>>>(x, y, n, new_tile_states(tiles));
}
