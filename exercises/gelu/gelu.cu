// gelu: y[i] = x[i] / 2 * (1 + erf(x[i] / sqrt 2)) for a vector of n floats.
//
// n is at least 1 and need not be a multiple of anything. y arrives filled with NaN.
// Given: one thread per element, 256 threads per block. You may change the launch and add helpers.
// Check it: harness/kata check gelu   or   ctest -R gelu
#include <kata/kata.h>

__global__ void gelu_kernel(const float* x, float* y, int n) {
  // your code
}

extern "C" void gelu(const float* x, float* y, int n) {
  const int block = 256;
  const int grid = kata::ceil_div(n, block);
  gelu_kernel<<<grid, block>>>(x, y, n);
}
