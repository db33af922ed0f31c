// The row stays in registers between the passes: each element is read once and written once.
//
// A row of up to 1024 columns is 8 float4 per lane. With the whole row in registers, the plain
// order, maximum and then sum, needs no second read, and one exponential per element is enough.
// Longer rows take the kernel of rung 4.
//
// Prediction: 8 bytes per element is the least possible. 4096 x 1024 is 33.6 MB: 8.2 us at 4.1
// TB/s plus the launch. 1.5 times as fast as rung 4 where memory is the limit.
// Measured: 11.2 us at 4096x1024, 103 % of the limit (H200, 2026-11-26)
#include <kata/kata.h>

#include <math.h>

#include "long_rows.h"
#include "row_vectors.h"

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;
constexpr int WIDTH = 4 * 32;  // columns of a group: four per lane

// Rows of at most GROUPS * WIDTH columns. The array stays in registers because unrolling turns
// every index into a constant.
template <int GROUPS, bool VECTOR>
__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols) {
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.x * WARPS + warp;
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
void launch(const float* x, float* y, int rows, int cols) {
  const int grid = kata::ceil_div(rows, WARPS);
  if (cols <= WIDTH) {
    softmax_rows_kernel<1, VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  } else if (cols <= 4 * WIDTH) {
    softmax_rows_kernel<4, VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  } else if (cols <= 8 * WIDTH) {
    softmax_rows_kernel<8, VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  } else {
    long_rows_kernel<VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  if (cols % 4 == 0 && is_aligned16(x) && is_aligned16(y)) {
    launch<true>(x, y, rows, cols);
  } else {
    launch<false>(x, y, rows, cols);
  }
}
