// 3 x 3, 5 x 5 and 7 x 7 at compile time: 4 x 8 outputs per thread, inputs straight from L1.
//
// A thread walks down its inputs and loads 4 + K - 1 floats of a row as float4; they serve up to K
// output rows. No tile and no barrier: loads and arithmetic of different warps overlap. The taps
// come from global memory, which saves the copy. Other sizes and unaligned rows take rung 5. The
// kernel is in small_kernels.h.
//
// Prediction: 3 x 3 is 8 bytes per output: 95 % of the limit, 34 us. 7 x 7 has 25 us of FFMAs at
// the peak under 32 us of memory time: 40 us if they overlap. 31 x 31: as rung 5.
// Measured: 61.2 us at 4096x4096x7x7, 71 % of the limit (H100 80GB HBM3, 2026-11-25)
#include "small_kernels.h"
#include "wide_kernel.h"

extern "C" void conv2d(const float* x, const float* w, float* y, int rows, int cols,
                       int kernel_rows, int kernel_cols) {
  const int k = kernel_rows == kernel_cols && cols % 4 == 0 ? kernel_rows : 0;
  if (k == 3) return launch_small<3>(x, w, y, rows, cols);
  if (k == 5) return launch_small<5>(x, w, y, rows, cols);
  if (k == 7) return launch_small<7>(x, w, y, rows, cols);
  wide::launch(x, w, y, rows, cols, kernel_rows, kernel_cols);
}
