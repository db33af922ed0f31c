#pragma once
// Rows of up to 1024 columns, one warp per row, in registers: the kernel of rung 5.

#include <kata/kata.h>
#include <math.h>

#include "row_vectors.h"

constexpr int WARP_ROWS = 4;  // rows per block

// Rows of at most GROUPS * 128 columns.
template <int GROUPS, bool VECTOR>
__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols) {
  constexpr int WIDTH = 4 * 32;
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.x * WARP_ROWS + warp;
  if (row >= rows) return;  // the whole warp returns, so the shuffles have all lanes
  const float* row_x = x + static_cast<size_t>(row) * cols;
  float* row_y = y + static_cast<size_t>(row) * cols;

  float4 held[GROUPS];
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) held[i] = load4<32, VECTOR>(row_x, i * WIDTH, cols);

  float max = -INFINITY;
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) max = fmaxf(max, max_of(held[i]));
  max = warp_max(max);

  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) {
    held[i] = exponentials(held[i], max);
    sum += sum_of(held[i]);
  }
  const float scale = 1.0f / warp_sum(sum);  // then multiply instead of dividing each element

#pragma unroll
  for (int i = 0; i < GROUPS; ++i) {
    store4<32, VECTOR>(row_y, scaled(held[i], scale), i * WIDTH, cols);
  }
}

template <bool VECTOR>
void launch_warps(const float* x, float* y, int rows, int cols) {
  constexpr int THREADS = 32 * WARP_ROWS;
  const int grid = kata::ceil_div(rows, WARP_ROWS);
  if (cols <= 128) {
    softmax_rows_kernel<1, VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  } else if (cols <= 512) {
    softmax_rows_kernel<4, VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  } else {
    softmax_rows_kernel<8, VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  }
}
