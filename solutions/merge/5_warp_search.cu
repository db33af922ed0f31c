// Warp search: 32 lanes test 32 places of the diagonal at once, so that the search takes 5 steps.
//
// A thread halves the range per load and needs 25 loads, one after the other. A warp divides it by
// 32: each lane tests the end of one of 32 pieces, and a vote counts the pieces that are before the
// crossing (merge_tile.h). Two warps of a block search its two ends at the same time. The launch of
// rung 4 and its table go.
//
// Prediction: 5 dependent loads of 0.7 us, hidden by the other blocks of the SM, instead of a
// kernel of 10 us and the gap between two launches. The staging stores still cost most: 180 us.
// Missed: two searches at once delay a block by 3 us, and its loads cannot begin before. A launch
// for all searches costs less here; for 2^19 + 2^19 it costs more.
// Measured: 326.0 us at 33554432x33554432, 39 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "merge_tile.h"

constexpr int THREADS = 256;
constexpr int ITEMS = 16;
constexpr int TILE = THREADS * ITEMS;

__global__ void __launch_bounds__(THREADS)
    merge_kernel(const float* A, const float* B, float* C, int M, int N) {
  __shared__ float values[TILE];
  __shared__ int split[2];  // the elements of A before the tile, and before the next one
  const int first = blockIdx.x * TILE;
  const int count = min(TILE, M + N - first);
  const int warp = threadIdx.x / 32;
  if (warp < 2) {
    const int diagonal = warp == 0 ? first : first + count;
    const int crossing =
        warp_merge_path(A, B, diagonal, max(0, diagonal - N), min(diagonal, M));
    if (threadIdx.x % 32 == 0) split[warp] = crossing;
  }
  __syncthreads();
  merge_tile<THREADS, ITEMS>(A, B, C, first, count, split[0], split[1], values);
}

extern "C" void merge(const float* A, const float* B, float* C, int M, int N) {
  merge_kernel<<<kata::ceil_div(M + N, TILE), THREADS>>>(A, B, C, M, N);
}
