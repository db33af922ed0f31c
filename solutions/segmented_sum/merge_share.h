#pragma once
// Equal shares of one list that holds the elements and the segment ends: the tiles of rungs 6
// to 10.
//
// In the list the elements of a segment are followed by one item for its end, so the end of segment
// s is item offsets[s + 1] + s. A share has the same number of items for any lengths: many elements
// of a long segment, or many ends of empty ones. This is the merge path of Merrill and Garland,
// "Merge-based Parallel Sparse Matrix-Vector Multiplication", 2016, with rows for segments.

#include <kata/kata.h>

#include "warp_count.h"

constexpr int THREADS = 256;
constexpr int ITEMS = 23;  // per thread, odd against bank conflicts
constexpr int TILE = THREADS * ITEMS;

inline int tile_count(int n, int segments) {
  return kata::ceil_div(n + segments, TILE);  // n + segments is at most 2^28 + 2^24
}

struct Share {
  int first_segment, segments;  // those that end in the tile
  int first_element, elements;

  __device__ int items() const { return segments + elements; }
};

// Of tile number `tile`, where tiles have `items` items. All threads call it.
__device__ inline Share share_of(int tile, const int* offsets, int n, int segments,
                                 int items = TILE) {
  __shared__ int ended[2];  // segments before the tile's first item, and before the next tile's
  const int first = tile * items;
  const int last = min(first + items, n + segments);
  if (threadIdx.x < 64) {
    const int item = threadIdx.x < 32 ? first : last;
    ended[threadIdx.x / 32] =
        warp_count(segments, [=](int s) { return offsets[s + 1] + s < item; });
  }
  __syncthreads();
  const int count = ended[1] - ended[0];
  return {ended[0], count, first - ended[0], last - first - count};
}
