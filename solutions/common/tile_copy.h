#pragma once
// Asynchronous copies of a tile to shared memory, for the blocks that load ahead.
//
// Each thread copies the elements that it will load itself (the layout of tile_scan.h). It has to
// wait for its own copies only, so no barrier is needed between copy and load.

#include <cuda_pipeline_primitives.h>

// Starts this thread's share of the copy; the first `count` elements of the tile exist. Commits
// even if there is nothing to copy, so that every tile is one group of copies.
template <int ROUNDS>
__device__ void copy_tile(float* stage, const float* tile, int count) {
#pragma unroll
  for (int r = 0; r < ROUNDS; ++r) {
    const int i = (threadIdx.x / 32) * (128 * ROUNDS) + 128 * r + 4 * (threadIdx.x % 32);
    if (i + 4 <= count) {
      __pipeline_memcpy_async(stage + i, tile + i, 16);
    } else {
      for (int c = i; c < count; ++c) __pipeline_memcpy_async(stage + c, tile + c, 4);
    }
  }
  __pipeline_commit();
}
