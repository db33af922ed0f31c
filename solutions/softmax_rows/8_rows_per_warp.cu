// Four short rows per warp: their loads come first, and their reductions take turns.
//
// A row of 128 columns is one float4 per lane: a warp of rung 7 waits for one load, then for ten
// shuffles in a row. With four rows it has four loads under way, and a shuffle of one row fills the
// wait for another's. A block of one warp makes room for the next one sooner. From 1025 to 4096
// columns 128 threads take a row. They hold all of it, so maximum and then sum suffice: one
// exponential per element, where rung 7's rows of 4096 take two.
//
// Prediction, from trials: 18.9 us at 65536 x 128, 64.8 at 8192 x 4096, 11.5 at 4096 x 1023 on an
// H200 (rung 7: 18.9, 65.4 and 11.5); 20.8, 86.2 and 12.5 on an H100 (rung 7: 21.2, 87.0, 12.7).
// Measured: 65.2 us at 8192x4096, 100 % of the limit (H200, 2026-11-26)
#include "../common/lane_reduce.h"
#include "block_rows.h"

// Rows of up to 4 * LANES * GROUPS columns, ROWS rows per block: only a warp has more than one.
template <int LANES, int GROUPS, int ROWS, bool VECTOR>
__global__ void __launch_bounds__(LANES)
    short_rows_kernel(const float* x, float* y, int rows, int cols) {
  __shared__ float slots[2][LANES / 32];
  constexpr int WIDTH = 4 * LANES;  // columns of a group
  const int64_t first_row = int64_t{blockIdx.x} * ROWS;
  // Past the last row, that row again.
  const auto row = [&](int r) { return min(first_row + r, int64_t{rows - 1}) * cols; };

  float4 held[ROWS][GROUPS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      held[r][i] = load4<LANES, VECTOR>(x + row(r), i * WIDTH, cols);
    }
  }

  float max[ROWS], sum[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    max[r] = -INFINITY;
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) max[r] = fmaxf(max[r], max_of(held[r][i]));
  }
  reduce_lanes<LANES>(max, slots[0], [](float a, float b) { return fmaxf(a, b); });
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    sum[r] = 0.0f;
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      held[r][i] = exponentials(held[r][i], max[r]);
      sum[r] += sum_of(held[r][i]);
    }
  }
  sum_lanes<LANES>(sum, slots[1]);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    if (first_row + r >= rows) break;
    const float scale = 1.0f / sum[r];
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      store4<LANES, VECTOR>(y + row(r), scaled(held[r][i], scale), i * WIDTH, cols);
    }
  }
}

template <int LANES, int GROUPS, int ROWS, bool VECTOR>
void launch_short_rows(const float* x, float* y, int rows, int cols) {
  const int grid = kata::ceil_div(rows, ROWS);
  short_rows_kernel<LANES, GROUPS, ROWS, VECTOR><<<grid, LANES>>>(x, y, rows, cols);
}

template <bool VECTOR>
void launch(const float* x, float* y, int rows, int cols) {
  if (cols <= 128) {
    launch_short_rows<32, 1, 4, VECTOR>(x, y, rows, cols);
  } else if (cols <= 256) {
    launch_short_rows<32, 2, 4, VECTOR>(x, y, rows, cols);
  } else if (cols <= 512) {
    launch_short_rows<32, 4, 2, VECTOR>(x, y, rows, cols);
  } else if (cols <= 1024) {
    launch_short_rows<32, 8, 1, VECTOR>(x, y, rows, cols);
  } else if (cols <= 4096) {
    launch_short_rows<128, 8, 1, VECTOR>(x, y, rows, cols);
  } else {
    launch_long_rows<VECTOR>(x, y, rows, cols);
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  if (cols % 4 == 0 && is_aligned16(x) && is_aligned16(y)) {
    launch<true>(x, y, rows, cols);
  } else {
    launch<false>(x, y, rows, cols);
  }
}
