// Large windows in two passes: the maxima of rows, and of those the maxima of columns.
//
// A maximum is separable: 2 k places per output instead of k * k. A block loads the inputs of 32 x
// 32 outputs into shared memory, -infinity outside the plane. The first pass strides along the row
// and keeps every input row; the second strides along the column. Strides above 2 need large tiles
// and share little: they and windows of up to 5 x 5 take rung 5. The kernel is in separable_tile.h.
//
// Prediction: 4x64x256x256 with 3 x 3, stride 2 as rung 5. 8x64x256x256 with 13 x 13, stride 1: 34
// accesses to shared memory per output, halo included, are 170 us, and loading 1.9 inputs per
// output takes 60 us more: 240 us. Memory time is 63 us.
// Measured: 23.0 us at 4x64x256x256x3x2x1, 96 % of the limit (H200, 2026-11-29)
#include "separable_tile.h"
#include "vector_window.h"

extern "C" void max_pool2d(const float* input, float* output, int N, int C, int H, int W,
                           int kernel_size, int stride, int padding) {
  const Pool pool = pool_of(H, W, kernel_size, stride, padding);
  const size_t planes = static_cast<size_t>(N) * C;
  if (launch_separable(input, output, planes, pool)) return;
  launch_small(input, output, planes, pool);
}
