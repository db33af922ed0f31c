// Long rows: a block owns a slice of the columns for many rows, with gamma and beta in registers.
//
// In rung 7, L2 delivers gamma and beta, 1 MB, again for each row of 512 KB. Here 16 blocks own
// 8192 columns each of every eighth row; 128 blocks cover x. A block publishes the moments of its
// slice of a row as tagged words (common/look_back.h) and reads those of the other 15 blocks three
// rows later, when they have long arrived: nothing waits, and no cluster leaves SMs idle. Six
// slices lie in shared memory: the one that is summed, three that wait, two that are being copied.
//
// Prediction: 138 us at 512 x 131072. A trial took 143.5 (rung 7: 184.6, a copy 125.3), and at
// 2048 x 32768 144.3 (176.6). With slices of 4096 columns 186 to 215, four slices being copied 155.
// Measured: 67.8 us at 8192x4096, 96 % of the limit (H200, 2026-11-26)
#include "row_kernel.h"
#include "slice_kernel.h"

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  if (layernorm_by_slices(x, gamma, beta, y, rows, cols, eps)) return;
  layernorm_by_rows(x, gamma, beta, y, rows, cols, eps);
}
