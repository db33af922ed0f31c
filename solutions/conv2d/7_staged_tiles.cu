// Small kernels on tiles: cp.async fills one tile while the other is computed.
//
// In rung 6 a warp waits for the loads of its rows, and neighbours load the halo again: 1.75 times
// the input comes from L2. Here a block of 128 threads stays on its SM, with two tiles of 32 rows.
// The halo is read 1.26 times, and no register holds a load on its way. Rows of whole float4 come
// in copies of 16 bytes, others in copies of 4, where rung 6 falls back to rung 5's kernel.
// 3 x 3 and 5 x 5 on aligned rows have too little arithmetic to overlap: they stay with rung 6.
//
// Prediction: 27.7 us of issue slots at 7 x 7 under 32 us of memory time, and a start of 3 us:
// 43 us. 5 x 5 at 4095 x 4095: 50 us instead of 95.8. The kernel is in staged_tiles.h.
// Measured: 54.0 us at 4096x4096x7x7, 81 % of the limit (H100 80GB HBM3, 2026-11-25)
#include "staged_tiles.h"
#include "wide_kernel.h"

extern "C" void conv2d(const float* x, const float* w, float* y, int rows, int cols,
                       int kernel_rows, int kernel_cols) {
  if (launch_square(x, w, y, rows, cols, kernel_rows, kernel_cols)) return;
  wide::launch(x, w, y, rows, cols, kernel_rows, kernel_cols);
}
