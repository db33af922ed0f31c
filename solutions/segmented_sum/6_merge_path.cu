// Merge path: a segment end is work, too, so a tile gets 2816 items, elements and ends together.
//
// In rung 5 a tile with a run of 100000 empty segments stores all of them alone. Here they are
// 100000 items, the work of 36 tiles (merge_tile.h). A search along the merged list, not along the
// offsets, finds where a tile starts; a thread searches for its own place in shared memory and
// needs no marks.
//
// Prediction: 23 items per thread share a search; some 30 instructions per item are 70 us of issue
// slots, and searches and barriers come on top: 147 us for segments of 16. One element in 4 million
// segments takes 20 us. In rung 5 a single tile stores all of them: 10 ms.
// Measured: 145.2 us at 67108864x4194304, 48 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "carry_sums.h"
#include "merge_tile.h"

__global__ void __launch_bounds__(THREADS)
    tile_kernel(const float* x, const int* offsets, float* y, int n, int segments, Run* carries) {
  __shared__ float words[TILE];
  const Share share = share_of(blockIdx.x, offsets, n, segments);
  const Run total = add_up(x, offsets, share, words);
  for (int s = threadIdx.x; s < share.segments; s += THREADS) {
    y[share.first_segment + s] = sums(words, share)[s];
  }
  if (threadIdx.x > 0) return;
  const int next = share.first_segment + share.segments;  // ends in a later tile, or does not exist
  carries[blockIdx.x] = {total.sum, next < segments ? next : -1};
}

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  static Scratch<Run> scratch;
  const int tiles = tile_count(n, segments);
  Run* carries = scratch.get(tiles);
  tile_kernel<<<tiles, THREADS>>>(x, offsets, y, n, segments, carries);
  launch_add_carries(carries, y, tiles);
}
