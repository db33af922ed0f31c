// sgemv: y = A x; A is [M, K], row-major, x has K elements and y has M.
//
// M and K are at least 1 and need not be multiples of anything. y arrives filled with NaN.
// Given: one warp per row, 8 warps per block. You may change the launch and add helpers.
// Check it: harness/kata check sgemv   or   ctest -R sgemv
#include <kata/kata.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  // your code
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  const int rows_per_block = 8;
  const dim3 block(32, rows_per_block);
  const int grid = kata::ceil_div(M, rows_per_block);
  sgemv_kernel<<<grid, block>>>(A, x, y, M, K);
}
