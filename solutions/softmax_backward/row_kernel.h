#pragma once
// A row in the registers of LANES threads, ROWS rows at a time: the kernel of rungs 5 and 6, which
// later rungs use for rows of up to 4096 columns.

#include <kata/kata.h>

#include "../common/aligned.h"
#include "../common/lane_reduce.h"
#include "../common/row_groups.h"

// A block has THREADS threads, and LANES of them share ROWS rows. Only a warp has more than one.
// Rows of more than 4 * LANES * GROUPS columns take slices, which are read twice but for the last.
template <int LANES, int GROUPS, int ROWS, int THREADS, bool VECTOR>
__global__ void __launch_bounds__(THREADS)
    row_kernel(const float* y, const float* dy, float* dx, int rows, int cols) {
  constexpr int WIDTH = 4 * LANES;  // columns of a group
  constexpr int SLICE = GROUPS * WIDTH;
  __shared__ float slots[LANES / 32];
  const int64_t first_row = (int64_t{blockIdx.x} * (THREADS / LANES) + threadIdx.x / LANES) * ROWS;
  if (first_row >= rows) return;  // a whole warp; with a block per row, no thread
  // Past the last row, that row again.
  const auto row = [&](int r) { return min(first_row + r, int64_t{rows - 1}) * cols; };

  Vec4 of_y[ROWS][GROUPS], of_dy[ROWS][GROUPS];
  const auto load_slice = [&](int slice) {
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
#pragma unroll
      for (int i = 0; i < GROUPS; ++i) {
        of_y[r][i] = load_group<LANES, VECTOR>(y + row(r), slice + i * WIDTH, cols);
        of_dy[r][i] = load_group<LANES, VECTOR>(dy + row(r), slice + i * WIDTH, cols);
      }
    }
  };
  float sum[ROWS] = {};
  for (int slice = 0; slice < cols; slice += SLICE) {
    load_slice(slice);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
#pragma unroll
      for (int i = 0; i < GROUPS; ++i) {
#pragma unroll
        for (int k = 0; k < 4; ++k) sum[r] += of_y[r][i].at[k] * of_dy[r][i].at[k];
      }
    }
  }
  sum_lanes<LANES>(sum, slots);

  const int last = (cols - 1) / SLICE * SLICE;
  for (int slice = last; slice >= 0; slice -= SLICE) {
    if (slice != last) load_slice(slice);  // the last one is still in registers
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      if (first_row + r >= rows) break;
#pragma unroll
      for (int i = 0; i < GROUPS; ++i) {
        Vec4& of_dx = of_dy[r][i];
#pragma unroll
        for (int k = 0; k < 4; ++k) of_dx.at[k] = of_y[r][i].at[k] * (of_dx.at[k] - sum[r]);
        store_group<LANES, VECTOR>(dx + row(r), slice + i * WIDTH, cols, of_dx);
      }
    }
  }
}

template <int LANES, int GROUPS, int ROWS, int THREADS, bool VECTOR>
void launch_rows(const float* y, const float* dy, float* dx, int rows, int cols) {
  const int grid = kata::ceil_div(rows, THREADS / LANES * ROWS);
  row_kernel<LANES, GROUPS, ROWS, THREADS, VECTOR><<<grid, THREADS>>>(y, dy, dx, rows, cols);
}

inline bool rows_are_aligned(const float* y, const float* dy, const float* dx, int cols) {
  return cols % 4 == 0 && is_aligned16(y) && is_aligned16(dy) && is_aligned16(dx);
}
