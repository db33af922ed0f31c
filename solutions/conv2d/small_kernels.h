#pragma once
// Rung 6's kernel: 3 x 3, 5 x 5 or 7 x 7 taps, known to the compiler, on rows of whole float4.

#include <kata/kata.h>

#include "../common/sliding_window.h"
#include "row_segment.h"

constexpr int SMALL_ROWS = 8, SMALL_WARPS = 4;  // 4 x 8 outputs per thread

// One block per SM as the bound lets the compiler use 94 registers for 3 x 3 instead of 48, so more
// loads are under way: 34.5 us instead of 36.7 in a trial. Larger kernels lose; 0 sets no bound.
template <int K>
__global__ void __launch_bounds__(32 * SMALL_WARPS, K == 3 ? 1 : 0)
    small_kernel(const float* x, const float* w, float* y, int rows, int cols, int tiles_across) {
  __shared__ float4 scratch[SMALL_WARPS][32];
  const int first_row = (blockIdx.x / tiles_across * SMALL_WARPS + threadIdx.y) * SMALL_ROWS;
  const int first_col = blockIdx.x % tiles_across * 128;
  float taps[K * K];
#pragma unroll
  for (int t = 0; t < K * K; ++t) taps[t] = w[t];

  float acc[SMALL_ROWS][4] = {};
#pragma unroll
  for (int i = 0; i < SMALL_ROWS + K - 1; ++i) {
    const size_t row = min(first_row + i, rows - 1);  // rows past the end reach no output
    float in[(4 + K - 1 + 3) / 4 * 4];
    load_segment(in, x + row * cols, first_col + 4 * threadIdx.x, cols);
#pragma unroll
    for (int r = 0; r < SMALL_ROWS; ++r) {
      if (r <= i && i < r + K) apply<K>(acc[r], in, taps + (i - r) * K);
    }
  }

  const size_t out_cols = cols - K + 1;
#pragma unroll
  for (int r = 0; r < SMALL_ROWS; ++r) {
    const int row = first_row + r;
    if (row + K > rows) return;  // the whole warp
    store_segment(acc[r], scratch[threadIdx.y], y + row * out_cols, first_col, out_cols);
  }
}

template <int K>
void launch_small(const float* x, const float* w, float* y, int rows, int cols) {
  const int tiles_down = (rows - K) / (SMALL_ROWS * SMALL_WARPS) + 1;
  const int tiles_across = kata::ceil_div(cols - K + 1, 128);
  const dim3 block(32, SMALL_WARPS);
  small_kernel<K><<<tiles_down * tiles_across, block>>>(x, w, y, rows, cols, tiles_across);
}
