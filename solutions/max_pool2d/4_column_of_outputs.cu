// Four outputs per thread, one below the other: windows that overlap share the maxima of rows.
//
// The thread walks down its input rows, takes the maximum of K places of each once, and merges it
// into every output whose window has this row. Four windows of 3 x 3 with stride 2 need 9 rows, not
// 12; with stride 1 they need 6. Outside the plane a load gives -infinity instead, so there is no
// second path for the rim. Windows that are not compiled take rung 2's kernel. The kernel is in
// column_window.h.
//
// Prediction: 27 loads for four outputs instead of 36. Memory was nearly the limit before: 20 us at
// 4x64x256x256 with 3 x 3, stride 2. At 3 x 3 with stride 1 half of the loads go. Missed: the limit
// is a copy of as many bytes, 21.7 us.
// Measured: 24.4 us at 4x64x256x256x3x2x1, 90 % of the limit (H200, 2026-11-29)
#include "column_window.h"

extern "C" void max_pool2d(const float* input, float* output, int N, int C, int H, int W,
                           int kernel_size, int stride, int padding) {
  const Pool pool = pool_of(H, W, kernel_size, stride, padding);
  launch_columns(input, output, static_cast<size_t>(N) * C, pool);
}
