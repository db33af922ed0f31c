// 32 columns at a time: most of the work becomes a matrix product, as in sgemm.
//
// A panel of 32 columns first gets the products of all columns to its left: tiles of 64 x 32 entries,
// 8 per thread in registers, from tiles of L in shared memory. Then one warp factors the 32 x 32
// block on the diagonal with its rows in registers, by shuffles, and each thread solves one row
// below it. Barriers come per panel, not per column, and any n fits (panels.h).
//
// Prediction: 640 x 512 has 28.6 GFLOP. 6 shared reads per 8 multiply-adds are half the speed of
// shared memory, 16 TFLOP/s: 1.8 ms. In each of 16 panels the block waits for one warp, 32 columns
// at about 0.25 us, with 4 other blocks on the SM: 2500 us. 4096 x 128: 600 us.
// Measured: 5930.2 us at 640x512, 7.3 % of the limit (H200, 2026-11-29)
#include "panels.h"

extern "C" void cholesky(const float* A, float* L, int batch, int n) {
  launch_panels(A, L, batch, n);
}
