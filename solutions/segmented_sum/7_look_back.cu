// One pass: a tile looks back for what earlier tiles hold of its first segment.
//
// Decoupled look-back (common/look_back.h), with a difference to a prefix sum: a segment end cuts
// off everything before it. A tile in which a segment ends therefore knows at once what it carries
// out, and publishes that as final. Only tiles inside one long segment look further back than the
// tile before them.
//
// Prediction: without the second kernel and its launch, 3 us less than rung 6. In exchange a tile
// takes its number from a counter and waits for the tile before it, about 1 us of its 5 us that
// other tiles of the SM fill: 147 us.
// Measured: 245.8 us at 67108864x4194304, 28 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "../common/look_back.h"
#include "merge_tile.h"

__global__ void __launch_bounds__(THREADS)
    tile_kernel(const float* x, const int* offsets, float* y, int n, int segments,
                TileStates states) {
  __shared__ float words[TILE];
  const int tile = take_tile(states);
  const Share share = share_of(tile, offsets, n, segments);
  const Run total = add_up(x, offsets, share, words);
  const bool is_cut = share.segments > 0;

  if (threadIdx.x < 32) {
    Word* const mine = &states.words[tile];
    if (threadIdx.x == 0) {
      publish(mine, is_cut ? states.inclusive_tag() : states.aggregate_tag(), total.sum);
    }
    const float before = look_back<float, 1>(states, tile);
    if (threadIdx.x == 0) {
      if (is_cut) {
        sums(words, share)[0] += before;
      } else {
        publish(mine, states.inclusive_tag(), before + total.sum);
      }
    }
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
