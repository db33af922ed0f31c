// Partition kernel: one launch finds the places of all tiles, so that no block waits for a search.
//
// In rung 3 a block of 256 threads waits while two of them search: 25 dependent loads, most of them
// from L2 or DRAM. Here one thread per tile does its search in a kernel before, all at the same
// time, and the merge kernel begins with its loads. Within the tile a step loads one element, not
// two (merge_tile.h).
//
// Prediction: 16385 searches at once take as long as one, 10 us. The bank conflicts of the staging
// stores stay, 145 us, and the loads of the merge are halved, 30 us: 190 us in all. Missed: the
// searches in the tile were forgotten, 24 loads of shared memory per thread next to 16 of the
// merge.
// Measured: 283.7 us at 33554432x33554432, 45 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "merge_tile.h"

constexpr int THREADS = 256;
constexpr int ITEMS = 16;
constexpr int TILE = THREADS * ITEMS;

// splits[t] is how many elements of A come before tile t. There is one more split than tiles.
__global__ void partition(const float* A, const float* B, int M, int N, int* splits, int tiles) {
  const int t = blockIdx.x * THREADS + threadIdx.x;
  if (t > tiles) return;
  splits[t] = merge_path(A, M, B, N, t < tiles ? t * TILE : M + N);
}

__global__ void __launch_bounds__(THREADS)
    merge_kernel(const float* A, const float* B, float* C, int M, int N, const int* splits) {
  __shared__ float values[TILE];
  const int first = blockIdx.x * TILE;
  const int count = min(TILE, M + N - first);
  merge_tile<THREADS, ITEMS>(A, B, C, first, count, splits[blockIdx.x], splits[blockIdx.x + 1],
                             values);
}

extern "C" void merge(const float* A, const float* B, float* C, int M, int N) {
  static Scratch<int> scratch;
  const int tiles = kata::ceil_div(M + N, TILE);
  int* splits = scratch.get(tiles + 1);
  partition<<<kata::ceil_div(tiles + 1, THREADS), THREADS>>>(A, B, M, N, splits, tiles);
  merge_kernel<<<tiles, THREADS>>>(A, B, C, M, N, splits);
}
