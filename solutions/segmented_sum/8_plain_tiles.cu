// A tile in which no segment ends is a plain sum by the whole block.
//
// All its elements belong to one segment, so each thread adds up 23 of them in registers, from
// loads that are all in flight at once, and the block adds up its threads. In rung 7 a single warp
// adds up the tile. The whole block agrees on the path.
//
// Prediction: as rung 7 for segments of 16, 95 us, because every tile has ends. For 16 segments of
// 2^20 nearly no tile has: 256 threads add up 23 elements each in 3 us, where one warp took 15 us:
// 28 us instead of 80 us. Missed: as rung 7 there, and 34 us here.
// Measured: 113.9 us at 67108864x4194304, 61 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "carry_sums.h"
#include "tile_sums.h"

// The sum of a full tile of elements, in thread 0.
__device__ float plain_sum(const float* x) {
  float value[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) value[k] = x[threadIdx.x + k * THREADS];
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) sum += value[k];
  return block_sum<THREADS>(sum);
}

__global__ void __launch_bounds__(THREADS)
    tile_kernel(const float* x, const int* offsets, float* y, int n, int segments, Run* carries) {
  __shared__ TileMemory memory;
  const Share share = share_of(blockIdx.x, offsets, n, segments);
  if (share.segments == 0) {  // the list ends with an end, so this is not the last tile: it is full
    const float sum = plain_sum(x + share.first_element);
    if (threadIdx.x == 0) carries[blockIdx.x] = {sum, share.first_segment};
    return;
  }
  add_parts(x, offsets, share, memory, [&](int part, float sum) {
    const int segment = share.first_segment + part;
    if (part < share.segments) {
      y[segment] = sum;
    } else {
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
