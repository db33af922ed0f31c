// A cluster of blocks per long row: 8 blocks hold up to 131072 columns in their registers.
//
// Blocks of a cluster run at the same time and can read each other's shared memory. Each block
// takes every CLUSTER-th slice of the row, and publishes its moments; after a cluster barrier
// every block merges all of them. A second barrier keeps a block alive until the others have read
// its moments: they arrive before they store the row and wait after it.
//
// Prediction: at 512 x 131072 8 bytes per element instead of 12: 126 us at copy speed. Two blocks
// share an SM, so one loads while the other stores. 4096 blocks are 15.5 rounds of 264: 130 us.
// Missed: L2 delivers gamma and beta, 1 MB, again for each row.
// Measured: 188.0 us at 512x131072, 68 % of the limit (H200, 2026-11-26)
#include "row_kernel.h"

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  layernorm_by_rows(x, gamma, beta, y, rows, cols, eps);
}
