// Equal tiles, but no walk: within a tile the segments get as many lanes as their mean can use.
//
// Walking costs 48 instructions per item, because lanes meet the ends of their segments at
// different times. Here rung 4 works on the tiles of rung 6: short segments by 1 to 32 lanes, and
// those much longer than the tile's mean by a warp each, from a list (tile_sums.h). Elements come
// straight from memory; only the ends of the segments are in shared memory.
//
// Prediction: 346 segments of 16 in a tile are three turns of 128 pairs of lanes. With the search
// and the offsets that is 7 us per tile, and eight tiles of 22 KB per SM read 3.3 TB/s: 95 us. The
// power law takes 110 us. Missed: a tile takes 9.7 us, five trips to memory for the search among
// them. With the power law warps wait for long parts: 169 us, and rung 6 is faster, 143 us.
// Measured: 113.6 us at 67108864x4194304, 61 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "carry_sums.h"
#include "tile_sums.h"

__global__ void __launch_bounds__(THREADS)
    tile_kernel(const float* x, const int* offsets, float* y, int n, int segments, Run* carries) {
  __shared__ TileMemory memory;
  const Share share = share_of(blockIdx.x, offsets, n, segments);
  add_parts(x, offsets, share, memory, [&](int part, float sum) {
    const int segment = share.first_segment + part;
    if (part < share.segments) {
      y[segment] = sum;
    } else {  // it ends in a later tile, or does not exist
      carries[blockIdx.x] = {sum, segment < segments ? segment : -1};
    }
  });
}

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  static Scratch<Run> scratch;
  const int tiles = tile_count(n, segments);
  Run* carries = scratch.get(tiles);
  tile_kernel<<<tiles, THREADS>>>(x, offsets, y, n, segments, carries);
  launch_add_carries(carries, y, tiles);
}
