// A tile in which no segment ends is a plain sum: no staging, no walk, no scan.
//
// All its elements belong to one segment, so each thread adds up 11 of them in registers, from
// loads that are all in flight at once, and the block adds up its threads. The whole block agrees
// on the path.
//
// Prediction: as rung 7 for segments of 16, 147 us, because every tile has ends. For 16 segments of
// 2^20 nearly no tile has: loads, two barriers and a look-back take 2.5 us instead of 5 us, and the
// whole 25 us instead of 40 us.
// Measured: 245.0 us at 67108864x4194304, 28 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "../common/block_sum.h"
#include "../common/look_back.h"
#include "merge_tile.h"

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
    tile_kernel(const float* x, const int* offsets, float* y, int n, int segments,
                TileStates states) {
  __shared__ float words[TILE];
  const int tile = take_tile(states);
  const Share share = share_of(tile, offsets, n, segments);
  Word* const mine = &states.words[tile];

  if (share.segments == 0) {  // the list ends with an end, so this is not the last tile: it is full
    const float sum = plain_sum(x + share.first_element);
    if (threadIdx.x >= 32) return;
    if (threadIdx.x == 0) publish(mine, states.aggregate_tag(), sum);
    const float before = look_back<float, 1>(states, tile);
    if (threadIdx.x == 0) publish(mine, states.inclusive_tag(), before + sum);
    return;
  }

  const Run total = add_up(x, offsets, share, words);
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) publish(mine, states.inclusive_tag(), total.sum);
    const float before = look_back<float, 1>(states, tile);
    if (threadIdx.x == 0) sums(words, share)[0] += before;
  }
  __syncthreads();
  for (int s = threadIdx.x; s < share.segments; s += THREADS) {
    y[share.first_segment + s] = sums(words, share)[s];
  }
}

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  const int tiles = tile_count(n, segments);
  tile_kernel<<<tiles, THREADS>>>(x, offsets, y, n, segments, new_tile_states(tiles));
}
