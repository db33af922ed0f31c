// A window's edges are clipped once, before the loops: no test is left inside.
//
// A block is a tile of 8 x 32 outputs of one plane. The plane and the place of the tile come from
// divisions of blockIdx.x, the same in all threads; row and column of a thread are additions.
// Windows are never empty, since 2 padding <= kernel_size. The kernel is in clipped_window.h.
//
// Prediction: about 100 instructions per output instead of 190, 14 us of issue slots below the 18.2
// us of memory time at 4x64x256x256 with 3 x 3, stride 2. The loops are too short to have many
// loads in flight: 23 us. Missed: 131 thousand warps are 16 waves of 2.3 us each.
// Measured: 39.5 us at 4x64x256x256x3x2x1, 56 % of the limit (H200, 2026-11-29)
#include "clipped_window.h"

extern "C" void max_pool2d(const float* input, float* output, int N, int C, int H, int W,
                           int kernel_size, int stride, int padding) {
  const Pool pool = pool_of(H, W, kernel_size, stride, padding);
  launch_clipped(input, output, static_cast<size_t>(N) * C, pool);
}
