// Blelloch: sums go up a binary tree, prefixes come down; 2n additions, not n log n.
//
// The up-sweep leaves in each node the sum of its subtree. The down-sweep hands each left child the
// prefix of its parent, and each right child that prefix plus the left sum. The result is the
// exclusive scan; adding the element itself makes it inclusive.
//
// Prediction: the same 4n words as before (259 us at 2^26). A tile of 1024 does 2 * 1023 additions
// instead of 10240, but in 20 steps, and from the stride of 2 on the lanes of a warp meet in one
// bank: 2, 4, 8, 16, 32 lanes per bank. No gain over the rung before, or a loss. Rung 3, without
// the conflicts, takes 550 us.
// Measured: 869.7 us at 67108864, 20 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/scan_levels.h"

constexpr int THREADS = 512;
constexpr int TILE = 2 * THREADS;

__global__ void scan_tiles(const float* x, float* y, float* totals, int n) {
  __shared__ float tree[TILE];
  const int tid = threadIdx.x;
  const int first = blockIdx.x * TILE;
  const int count = n - first;  // elements of this tile that exist, if fewer than TILE
  const float low = tid < count ? x[first + tid] : 0.0f;
  const float high = tid + THREADS < count ? x[first + tid + THREADS] : 0.0f;
  tree[tid] = low;
  tree[tid + THREADS] = high;

  for (int stride = 1; stride < TILE; stride *= 2) {  // up: pairs of subtrees of `stride` leaves
    __syncthreads();
    const int right = (tid + 1) * 2 * stride - 1;
    if (right < TILE) tree[right] += tree[right - stride];
  }
  __syncthreads();
  if (tid == 0) {
    totals[blockIdx.x] = tree[TILE - 1];
    tree[TILE - 1] = 0.0f;
  }
  for (int stride = TILE / 2; stride > 0; stride /= 2) {  // down
    __syncthreads();
    const int right = (tid + 1) * 2 * stride - 1;
    if (right < TILE) {
      const float left_sum = tree[right - stride];
      tree[right - stride] = tree[right];
      tree[right] += left_sum;
    }
  }
  __syncthreads();

  if (tid < count) y[first + tid] = tree[tid] + low;
  if (tid + THREADS < count) y[first + tid + THREADS] = tree[tid + THREADS] + high;
}

extern "C" void scan(const float* x, float* y, int n) {
  scan_levels<float>(scan_tiles, THREADS, TILE, x, y, n);
}
