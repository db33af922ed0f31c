// Odd stride: 23 outputs per thread instead of 16, so that staging meets no bank conflicts.
//
// Output k of thread t goes to word 16 t + k of the tile. The banks of 32 lanes are then k and
// k + 16 alone, and 16 lanes wait for one another. With 23 outputs the banks are 23 t + k, all
// different, because 23 and 32 have no common factor. The merges themselves read where the values
// lead them, and keep their conflicts.
//
// Prediction: with 23 outputs a staging store takes 1 cycle of shared memory, not 16, and a search
// in the tile serves 23 outputs. Its loads and those of the merge, about 3 lanes in a bank, take 90
// us of shared memory and overlap only in part with 125 us for 537 MB: 205 us.
// Measured: 210.3 us at 33554432x33554432, 60 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "merge_tile.h"

constexpr int THREADS = 256;
constexpr int ITEMS = 23;
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
