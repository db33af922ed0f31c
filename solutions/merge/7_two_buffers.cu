// Two buffers: a block stays on its SM, and the next tile arrives while it merges the current one.
//
// A block merges consecutive tiles. Asynchronous copies bring the next tile to a second buffer, 16
// bytes each, from the multiple of 16 bytes before a stretch to the one after it. A ninth warp
// searches for the tile after that. It starts at the last known crossing, so 3 steps are enough.
//
// Prediction: loads are in flight at all times, and neither search nor launch of a block is waited
// for. 47 instructions per output are 100 us of issue slots, shared memory takes 90 us, and the 4
// barriers of a tile keep them from overlapping fully: 175 us, 40 % over the copy of 537 MB.
// Measured: 177.0 us at 33554432x33554432, 71 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include <cuda_pipeline_primitives.h>

#include "../common/aligned.h"
#include "../common/resident_blocks.h"
#include "merge_tile.h"

constexpr int THREADS = 256;  // that merge; one more warp searches
constexpr int ITEMS = 19;
using Tile = MergeTile<THREADS, ITEMS>;
constexpr int STAGE = Tile::SIZE + 16;  // stretches begin and end within groups of 4

// Where the elements of B are in a stage: behind a_count elements of A, the first of them a_first.
__device__ int start_of_b(int a_first, int a_count, int b_first) {
  return (a_first % 4 + a_count + 3) / 4 * 4 + b_first % 4;
}

// Starts to copy x[first] to x[end - 1] to stage[first % 4] and what follows. x has n elements.
__device__ void copy_stretch(float* stage, const float* x, int first, int end, int n, bool wide) {
  const int before = first / 4 * 4;
  for (int i = before + 4 * threadIdx.x; i < end; i += 4 * THREADS) {
    float* to = stage + (i - before);
    if (wide && i + 4 <= n) {
      __pipeline_memcpy_async(to, x + i, 16);
    } else {
      for (int c = 0; c < 4 && i + c < n; ++c) __pipeline_memcpy_async(to + c, x + i + c, 4);
    }
  }
}

__global__ void __launch_bounds__(THREADS + 32)
    merge_kernel(const float* A, const float* B, float* C, int M, int N, int tiles, bool wide) {
  __shared__ __align__(16) float stages[2][STAGE];
  __shared__ int splits[4];  // of tile t in splits[t % 4]: the elements of A before it
  const int warp = threadIdx.x / 32;
  const bool is_worker = threadIdx.x < THREADS;
  const int per_block = kata::ceil_div(tiles, gridDim.x);
  const int begin = blockIdx.x * per_block;
  const int end = min(begin + per_block, tiles);
  const auto diagonal_of = [&](int t) { return t < tiles ? t * Tile::SIZE : M + N; };
  const auto find_split = [&](int t, int low, int high) {
    const int diagonal = diagonal_of(t);
    const int split = warp_merge_path(A, B, diagonal, max(low, diagonal - N),
                                      min(high, min(diagonal, M)));
    if (threadIdx.x % 32 == 0) splits[t % 4] = split;
  };
  const auto start_copy = [&](int t) {
    if (t < end) {
      float* stage = stages[t % 2];
      const int a_first = splits[t % 4], a_end = splits[(t + 1) % 4];
      const int b_first = diagonal_of(t) - a_first, b_end = diagonal_of(t + 1) - a_end;
      const int b_start = start_of_b(a_first, a_end - a_first, b_first) - b_first % 4;
      copy_stretch(stage, A, a_first, a_end, M, wide);
      copy_stretch(stage + b_start, B, b_first, b_end, N, wide);
    }
    __pipeline_commit();  // of every tile one group, be it empty
  };
  if (warp < 3) find_split(begin + warp, 0, M);
  __syncthreads();
  if (is_worker) start_copy(begin);

  for (int t = begin; t < end; ++t) {
    if (is_worker) {
      start_copy(t + 1);
      __pipeline_wait_prior(1);
    }
    __syncthreads();
    float* stage = stages[t % 2];
    const int first = diagonal_of(t);
    const int count = diagonal_of(t + 1) - first;
    Tile tile;
    if (is_worker) {
      const int a_first = splits[t % 4], a_count = splits[(t + 1) % 4] - a_first;
      const float* b = stage + start_of_b(a_first, a_count, first - a_first);
      tile.merge(stage + a_first % 4, a_count, b, count - a_count);
    } else {
      const int before = splits[(t + 2) % 4];
      find_split(t + 3, before, before + Tile::SIZE);
    }
    __syncthreads();  // all have read the inputs
    if (is_worker) tile.stage(stage);
    __syncthreads();
    if (is_worker) {
      for (int k = threadIdx.x; k < count; k += THREADS) C[first + k] = stage[k];
    }
    __syncthreads();  // the stage is free for the next copy
  }
}

extern "C" void merge(const float* A, const float* B, float* C, int M, int N) {
  static const int most = resident_blocks(merge_kernel, THREADS + 32, 0);
  const int tiles = kata::ceil_div(M + N, Tile::SIZE);
  merge_kernel<<<min(tiles, most), THREADS + 32>>>(A, B, C, M, N, tiles,
                                                   is_aligned16(A) && is_aligned16(B));
}
