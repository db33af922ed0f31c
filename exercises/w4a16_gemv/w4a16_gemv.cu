// w4a16_gemv: y = W x, where W has 4-bit weights and x and y are half.
//   weight (row, k) = scale[row][k / 128] * (q - 8)
// q is in word W[row][k / 8], bits 4j .. 4j + 3 with j = k % 8. W is [M, K / 8], scale is
// [M, K / 128], both row-major. The sum is accumulated in float and rounded to half once.
//
// K is a multiple of 128, M is at least 1. y arrives filled with NaN.
// Given: one warp per row, 4 warps per block. You may change the launch and add helpers.
// Check it: harness/kata check w4a16_gemv   or   ctest -R w4a16_gemv
#include <kata/kata.h>

#include <cuda_fp16.h>

__global__ void gemv_kernel(const unsigned* W, const __half* scale, const __half* x, __half* y,
                            int M, int K) {
  // your code
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  const int rows_per_block = 4;
  const dim3 block(32, rows_per_block);
  const int grid = kata::ceil_div(M, rows_per_block);
  gemv_kernel<<<grid, block>>>(W, scale, x, y, M, K);
}
