#pragma once
// Rung 2's kernel: any window. Later rungs use it where their own kernels do not apply.

#include "pool.h"

constexpr int CLIPPED_ROWS = 8, CLIPPED_COLS = 32;

// The largest element of the window whose first place is (first_row, first_col), edges clipped.
__device__ inline float clipped_max(const float* in, const Pool& pool, int first_row,
                                    int first_col) {
  const int row_end = min(first_row + pool.kernel_size, pool.H);
  const int col_end = min(first_col + pool.kernel_size, pool.W);
  float best = -INFINITY;
  for (int row = max(first_row, 0); row < row_end; ++row) {
    for (int col = max(first_col, 0); col < col_end; ++col) {
      best = fmaxf(best, in[row * pool.W + col]);
    }
  }
  return best;
}

__global__ void clipped_kernel(const float* input, float* output, Pool pool,
                               Tiles<CLIPPED_ROWS, CLIPPED_COLS> tiles) {
  const int out_row = tiles.first_row() + threadIdx.y;
  const int out_col = tiles.first_col() + threadIdx.x;
  if (out_row >= pool.out_H || out_col >= pool.out_W) return;
  const float* in = input + tiles.plane() * pool.plane_size();
  float* out = output + tiles.plane() * pool.out_plane_size();
  out[out_row * pool.out_W + out_col] =
      clipped_max(in, pool, out_row * pool.stride - pool.padding,
                  out_col * pool.stride - pool.padding);
}

inline void launch_clipped(const float* input, float* output, size_t planes, const Pool& pool) {
  const Tiles<CLIPPED_ROWS, CLIPPED_COLS> tiles(pool);
  const dim3 block(CLIPPED_COLS, CLIPPED_ROWS);
  clipped_kernel<<<tiles.grid(planes), block>>>(input, output, pool, tiles);
}
