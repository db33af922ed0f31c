// float4 straight into registers: the tile no longer passes through shared memory.
//
// A warp loads 128 consecutive floats per instruction, four per lane, and scans them where they
// are: three additions in the lane, five shuffles across lanes, one broadcast to the next 128
// (tile_scan.h). All four loads of a thread are in flight before the first one is used.
//
// Prediction: a quarter of the memory instructions and none of the 4 shared accesses per element.
// Rung 4 was already limited by 4n words of memory traffic, so the gain is what its tail of
// barriers cost: 259 us is the bound, 280 us expected at 2^26.
// Measured: 406.4 us at 67108864, 43 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/scan_levels.h"
#include "tile_scan.h"

constexpr int THREADS = 256;
using Tile = TileScan<THREADS, 4>;  // 4096 elements

__global__ void scan_tiles(const float* x, float* y, float* totals, int n) {
  const int first = blockIdx.x * Tile::SIZE;
  Tile tile;
  tile.load(x + first, n - first);
  const float total = tile.scan();
  tile.store(y + first, n - first, 0.0f);
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

extern "C" void scan(const float* x, float* y, int n) {
  scan_levels<float>(scan_tiles, THREADS, Tile::SIZE, x, y, n);
}
