// Count per tile, scan the tile counts, count again and scatter: nothing of size n is stored.
//
// The rung to reach in 30 minutes. A tile has 4096 elements, so the counts are n / 4096 words and
// one block scans them. Within a tile each thread holds 16 elements, read as float4; their places
// come from a scan of the threads' counts (tile_select.h).
//
// Prediction: 2.5n words and nothing else: 671 MB at 2^26, 162 us at 4144 GB/s. The scatter writes
// 4-byte words at stride 2 or so: a warp's store touches about 8 sectors, each one again by the
// next three stores. The L2 sees up to four times the sectors: 200 us.
// Measured: 279.1 us at 67108864, 47 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "tile_select.h"

constexpr int THREADS = 256;
using Tile = TileSelect<THREADS>;  // 4096 elements

__global__ void count_tiles(const float* x, unsigned* counts, int n) {
  const int first = blockIdx.x * Tile::SIZE;
  Tile tile;
  tile.load(x + first, n - first);
  unsigned total;
  block_exclusive_scan<THREADS>(tile.kept(), total);
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

// One block: counts[t] becomes the number of elements kept before tile t.
__global__ void scan_counts(unsigned* counts, int tiles, int* count) {
  unsigned before = 0;
  for (int first = 0; first < tiles; first += THREADS) {
    const int t = first + threadIdx.x;
    const unsigned own = t < tiles ? counts[t] : 0;
    unsigned total;
    const unsigned place = before + block_exclusive_scan<THREADS>(own, total);
    if (t < tiles) counts[t] = place;
    before += total;
  }
  if (threadIdx.x == 0) *count = before;
}

__global__ void scatter(const float* x, const unsigned* counts, float* y, int n) {
  const int first = blockIdx.x * Tile::SIZE;
  Tile tile;
  tile.load(x + first, n - first);
  tile.rank();
  tile.scatter(y + counts[blockIdx.x]);
}

extern "C" void compact(const float* x, float* y, int* count, int n) {
  static Scratch<unsigned> scratch;
  const int tiles = kata::ceil_div(n, Tile::SIZE);
  unsigned* counts = scratch.get(tiles);
  count_tiles<<<tiles, THREADS>>>(x, counts, n);
  scan_counts<<<1, THREADS>>>(counts, tiles, count);
  scatter<<<tiles, THREADS>>>(x, counts, y, n);
}
