// Short rows: a warp per row, so no row waits at a barrier, and no thread is without columns.
//
// Of a row of 256 columns, rung 5 gives work to 64 of 256 threads. Here each warp of a persistent
// block takes rows of its own, up to 512 columns, and keeps its own sums down the columns. The 8
// warps of a block add up theirs in shared memory after their last row, so there is still one
// partial result per block. The kernel is in narrow_rows.h.
//
// Prediction: 65536 x 256 is 201 MB. 24 warps per SM with 2 KB under way each are 48 KB: 50 us, the
// speed of a copy, where rung 5 needs 248 rows in turn per block at 1.2 us: 300 us.
// Measured: 54.2 us at 65536x256, 88 % of the limit (H200, 2026-11-29)
#include "copied_rows.h"
#include "narrow_rows.h"

template <bool VECTOR>
void launch(const float* x, const float* gamma, const float* dy, float* dx, float* dgamma,
            float* dbeta, int rows, int cols, float eps) {
  if (cols <= 512) {
    launch_short_rows<VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else if (cols <= 4096) {
    launch_middle_rows<VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else {
    const float2* statistics = launch_rows(x, gamma, dy, dx, rows, cols, eps);
    launch_column_sums(x, dy, statistics, dgamma, dbeta, rows, cols);
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
