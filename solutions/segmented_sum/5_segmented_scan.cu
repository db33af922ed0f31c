// Blocks share the elements, not the segments: tiles of 2304 elements and a segmented scan.
//
// A tile finds its segments by a search in the offsets (warp_count.h) and marks where they start.
// A thread walks along 9 elements, an odd number against bank conflicts, and stores what both
// starts and ends there. A scan over the block completes the other segments of the tile
// (run_scan.h), a second kernel those that cross tiles (carry_sums.h).
//
// Prediction: the lengths hardly matter any more, 302 MB need 66 us. But a tile is a chain of a
// search, offsets, a walk and a scan, about 5 us, and an SM has 8 tiles of 9 KB in flight: 150 us.
// The power law takes as long instead of milliseconds.
// Measured: 166.6 us at 67108864x4194304, 42 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "carry_sums.h"
#include "run_scan.h"
#include "warp_count.h"

constexpr int THREADS = 256;
constexpr int ITEMS = 9;  // per thread
constexpr int TILE = THREADS * ITEMS;

__global__ void __launch_bounds__(THREADS)
    tile_kernel(const float* x, const int* offsets, float* y, int n, int segments, Run* carries) {
  __shared__ float values[TILE];
  __shared__ int starts[TILE];  // the segment that starts at this element; -1: none
  __shared__ int bounds[2];     // the segments whose offset lies in this tile
  const int tid = threadIdx.x;
  const int first = blockIdx.x * TILE;
  const int end = min(first + TILE, n);
  if (tid < 64) {
    const bool at_n = blockIdx.x == gridDim.x - 1;  // empty segments at the end are the last tile's
    const int limit = tid < 32 ? first : at_n ? n + 1 : end;
    bounds[tid / 32] = warp_count(segments, [=](int s) { return offsets[s] < limit; });
  }
  for (int i = tid; i < TILE; i += THREADS) {
    values[i] = first + i < end ? x[first + i] : 0.0f;
    starts[i] = -1;
  }
  __syncthreads();
  for (int s = bounds[0] + tid; s < bounds[1]; s += THREADS) {
    const int begin = offsets[s];
    if (begin == offsets[s + 1]) {
      y[s] = 0.0f;
    } else {
      starts[begin - first] = s;  // no two segments with elements start at the same one
    }
  }
  __syncthreads();

  Run mine = no_run();
  float first_sum = 0.0f;  // of the elements before the thread's first start
  for (int k = 0; k < ITEMS; ++k) {
    const int i = tid * ITEMS + k;
    if (starts[i] >= 0) {
      if (mine.segment < 0) {
        first_sum = mine.sum;
      } else {
        y[mine.segment] = mine.sum;
      }
      mine = {0.0f, starts[i]};
    }
    mine.sum += values[i];
  }
  // The segment that comes from the tile before, unless another one starts at the first element.
  const Run before_tile = {0.0f, starts[0] >= 0 ? -1 : bounds[0] - 1};
  Run total;
  const Run before = join(before_tile, exclusive_run<THREADS / 32>(mine, &total));
  if (mine.segment >= 0 && before.segment >= 0) y[before.segment] = before.sum + first_sum;

  if (tid > 0) return;
  const Run last = join(before_tile, total);
  const bool ends_here = last.segment >= 0 && offsets[last.segment + 1] == end;
  if (ends_here) y[last.segment] = last.sum;
  carries[blockIdx.x] = ends_here ? no_run() : last;
}

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  static Scratch<Run> scratch;
  const int tiles = max(kata::ceil_div(n, TILE), 1);  // one stores the empty segments if n is 0
  Run* carries = scratch.get(tiles);
  tile_kernel<<<tiles, THREADS>>>(x, offsets, y, n, segments, carries);
  launch_add_carries(carries, y, tiles);
}
