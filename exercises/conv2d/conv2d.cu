// conv2d: y[r][c] = the sum over a, b of x[r + a][c + b] w[a][b]. All matrices are row-major:
// x [rows, cols], w [kernel_rows, kernel_cols], y [rows - kernel_rows + 1, cols - kernel_cols + 1].
//
// The kernel fits the input and is at most 31 x 31. y arrives filled with NaN.
// Given: a tile of 32 x 8 outputs per block, one thread each, in a one-dimensional grid.
// Check it: harness/kata check conv2d   or   ctest -R conv2d
#include <kata/kata.h>

__global__ void conv2d_kernel(const float* x, const float* w, float* y, int rows, int cols,
                              int kernel_rows, int kernel_cols, int tiles_across) {
  // your code
}

extern "C" void conv2d(const float* x, const float* w, float* y, int rows, int cols,
                       int kernel_rows, int kernel_cols) {
  const dim3 block(32, 8);
  const int tiles_across = kata::ceil_div(cols - kernel_cols + 1, 32);
  const int tiles_down = kata::ceil_div(rows - kernel_rows + 1, 8);
  conv2d_kernel<<<tiles_across * tiles_down, block>>>(x, w, y, rows, cols, kernel_rows, kernel_cols,
                                                      tiles_across);
}
