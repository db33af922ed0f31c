// Several short rows per warp: all loads come first, and gamma and beta are loaded once for them.
//
// A warp takes four rows of up to 256 columns; of longer rows 128 threads take one. All loads, also
// of gamma and beta, precede the sums. A row is in registers, so two plain sums suffice: the mean,
// then the squares of the differences from it. Merging moments takes a division per step. Above
// 4096 columns nothing changes.
//
// Prediction: 33.0 us at 65536 x 256, 11.5 at 4096 x 1024, 12.3 at 4096 x 1023, 65.4 at 8192 x
// 4096, from a trial on an H200 (rung 8: 34.8, 11.7, 14.8 and 67.2; with two rows per warp of a
// larger block 33.1; with 512 threads a row of 4096 67.9).
// Measured: 66.0 us at 8192x4096, 99 % of the limit (H200, 2026-11-26)
#include "../common/aligned.h"
#include "../common/lane_reduce.h"
#include "row_kernel.h"
#include "slice_kernel.h"

// Rows of up to 4 * LANES * GROUPS columns, ROWS rows per block: only a warp has more than one.
template <int LANES, int GROUPS, int ROWS, bool VECTOR>
__global__ void __launch_bounds__(LANES)
    short_rows_kernel(const float* x, const float* gamma, const float* beta, float* y, int rows,
                      int cols, float eps) {
  __shared__ float slots[2][LANES / 32];
  constexpr int WIDTH = 4 * LANES;  // columns of a group
  const int64_t first_row = int64_t{blockIdx.x} * ROWS;
  const auto row = [&](int r) { return min(first_row + r, int64_t{rows - 1}) * cols; };

  Vec4 held[ROWS][GROUPS], scale[GROUPS], shift[GROUPS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {  // past the last row, that row again
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      held[r][i] = load_group<LANES, VECTOR>(x + row(r), i * WIDTH, cols);
    }
  }
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) {
    scale[i] = load_group<LANES, VECTOR>(gamma, i * WIDTH, cols);
    shift[i] = load_group<LANES, VECTOR>(beta, i * WIDTH, cols);
  }

  float mean[ROWS] = {}, m2[ROWS] = {};
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
#pragma unroll
      for (int k = 0; k < 4; ++k) mean[r] += held[r][i].at[k];  // 0 outside the row
    }
  }
  sum_lanes<LANES>(mean, slots[0]);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    mean[r] /= cols;
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const float delta = held[r][i].at[k] - mean[r];
        if (in_row<LANES, VECTOR>(i * WIDTH, k, cols)) m2[r] += delta * delta;
      }
    }
  }
  sum_lanes<LANES>(m2, slots[1]);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    if (first_row + r >= rows) break;
    const float inverse_sd = rsqrtf(m2[r] / cols + eps);
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        float& value = held[r][i].at[k];
        value = (value - mean[r]) * inverse_sd * scale[i].at[k] + shift[i].at[k];
      }
      store_group<LANES, VECTOR>(y + row(r), i * WIDTH, cols, held[r][i]);
    }
  }
}

template <int LANES, int GROUPS, int ROWS, bool VECTOR, class... Arguments>
void launch_short_rows(int rows, Arguments... arguments) {
  const int grid = kata::ceil_div(rows, ROWS);
  short_rows_kernel<LANES, GROUPS, ROWS, VECTOR><<<grid, LANES>>>(arguments...);
}

template <bool VECTOR, class... Arguments>
void launch(int rows, int cols, Arguments... arguments) {
  if (cols <= 256) {
    launch_short_rows<32, 2, 4, VECTOR>(rows, arguments...);
  } else if (cols <= 1024) {
    launch_short_rows<128, 2, 1, VECTOR>(rows, arguments...);
  } else if (cols <= 2048) {
    launch_short_rows<128, 4, 1, VECTOR>(rows, arguments...);
  } else if (cols <= 4096) {
    launch_short_rows<128, 8, 1, VECTOR>(rows, arguments...);
  } else {
    launch_long_rows<VECTOR>(cols, arguments...);
  }
}

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  const bool aligned =
      is_aligned16(x) && is_aligned16(gamma) && is_aligned16(beta) && is_aligned16(y);
  if (aligned && layernorm_by_slices(x, gamma, beta, y, rows, cols, eps)) return;
  if (aligned && cols % 4 == 0) {
    launch<true>(rows, cols, x, gamma, beta, y, rows, cols, eps);
  } else {
    launch<false>(rows, cols, x, gamma, beta, y, rows, cols, eps);
  }
}
