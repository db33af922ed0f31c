// swiglu: y[i] = silu(x[i]) * x[i + n / 2] for the n / 2 gates in the first half of x.
//
// n is even and at least 2. y has n / 2 floats and arrives filled with NaN.
// Given: one thread per output, 256 threads per block. You may change the launch and add helpers.
// Check it: harness/kata check swiglu   or   ctest -R swiglu
#include <kata/kata.h>

__global__ void swiglu_kernel(const float* x, float* y, int outputs) {
  // your code
}

extern "C" void swiglu(const float* x, float* y, int n) {
  const int outputs = n / 2;
  const int block = 256;
  const int grid = kata::ceil_div(outputs, block);
  swiglu_kernel<<<grid, block>>>(x, y, outputs);
}
