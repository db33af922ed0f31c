// Wide rows: a cluster of blocks shares a row, and each block keeps the sums of its own columns.
//
// A block holds 16384 columns of x and dy in 128 KiB of shared memory, and their two sums in 64
// registers per thread. Blocks of a cluster add up a row's sums through each other's shared memory,
// twice per row. Clusters stay and take every n-th row: one read, as in rung 4. As soon as a thread
// has read its columns for the last time, it starts the copy of the next row to the same place. The
// kernel is in wide_rows.h.
//
// Prediction: at 512 x 131072 rung 6 moves 32 bytes per element, 500 us. 12 bytes are 187 us. 16
// clusters take 32 rows each; the two exchanges of a row are not hidden, 3 us: 290 us.
// Measured: 666.5 us at 512x131072, 28 % of the limit (H200, 2026-11-29)
#include "copied_rows.h"
#include "narrow_rows.h"
#include "wide_rows.h"

template <bool VECTOR>
void launch(const float* x, const float* gamma, const float* dy, float* dx, float* dgamma,
            float* dbeta, int rows, int cols, float eps) {
  if (cols <= 512) {
    launch_short_rows<VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else if (cols <= 4096) {
    launch_middle_rows<VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else if (cols <= WIDE_COLS) {
    launch_wide_rows<1, VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else if (!has_clusters() || cols > 8 * WIDE_COLS) {
    const float2* statistics = launch_rows(x, gamma, dy, dx, rows, cols, eps);
    launch_column_sums(x, dy, statistics, dgamma, dbeta, rows, cols);
  } else if (cols <= 2 * WIDE_COLS) {
    launch_wide_rows<2, VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else if (cols <= 4 * WIDE_COLS) {
    launch_wide_rows<4, VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else {
    launch_wide_rows<8, VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  }
}

extern "C" void layernorm_backward(const float* x, const float* gamma, const float* dy, float* dx,
                                   float* dgamma, float* dbeta, int rows, int cols, float eps) {
  if (rows_are_aligned(x, gamma, dy, dx, cols)) {
    launch<true>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else {
    launch<false>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  }
}
