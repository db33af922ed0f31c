// transpose: out[j][i] = in[i][j]; in is [rows, cols], out is [cols, rows], both row-major.
//
// rows and cols are at least 1 and need not be multiples of anything. out arrives filled with NaN.
// Given: one block of 32 x 32 threads per 32 x 32 tile of in; x runs along cols, y along rows.
// Check it: harness/kata check transpose   or   ctest -R transpose
#include <kata/kata.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  // your code
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 block(32, 32);
  const dim3 grid(kata::ceil_div(cols, 32), kata::ceil_div(rows, 32));
  transpose_kernel<<<grid, block>>>(in, out, rows, cols);
}
