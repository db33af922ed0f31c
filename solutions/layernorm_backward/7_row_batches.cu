// Eight rows at a time: a bulk copy brings them, whatever their length, and two barriers serve all.
//
// Rows of 1023 columns are misaligned: rung 5 copies them 4 bytes at a time, with two barriers for
// each row. But 8 such rows are one piece of memory that begins at a multiple of 16 bytes. Here a
// warp adds up a row of the batch, one barrier later each thread takes its four columns of all 8
// rows, and two more batches are on their way. The kernel is in row_batches.h.
//
// Prediction: at 4096 x 1023 50 MB take 12 us; a block has four batches, and the first load, the
// last stores and the partial sums are not hidden: 20 us. Rung 5 takes 42, rung 4 33. Missed: this
// kernel takes 16 us, and adding up the partial sums 5.
// Measured: 24.0 us at 4096x1023, 61 % of the limit (H200, 2026-11-29)
#include "copied_rows.h"
#include "narrow_rows.h"
#include "row_batches.h"

template <bool VECTOR>
void launch(const float* x, const float* gamma, const float* dy, float* dx, float* dgamma,
            float* dbeta, int rows, int cols, float eps) {
  if (cols <= 512) {
    launch_short_rows<VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else if (cols <= BATCH_COLS && is_aligned16(x) && is_aligned16(dy)) {
    launch_row_batches<VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
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
