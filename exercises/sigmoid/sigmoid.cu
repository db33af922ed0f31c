// Logistic function: y[i] = 1 / (1 + exp(-x[i])) for 0 <= i < n.
//
// x and y are arrays of n floats in GPU memory. n is at least 1; x may have any magnitude.
// Check it: harness/kata check sigmoid   or   ctest -R sigmoid
#include <kata/kata.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  // your code
}

// Given: one thread per element, in blocks of 256.
extern "C" void sigmoid(const float* x, float* y, int n) {
  const dim3 block(256);
  const dim3 grid(kata::ceil_div(n, 256));
  sigmoid_kernel<<<grid, block>>>(x, y, n);
}
