// conv1d: y[i] = x[i] w[0] + ... + x[i + k - 1] w[k - 1], for i from 0 to n - k.
//
// 1 <= k <= n and k <= 2048. y has n - k + 1 elements and arrives filled with NaN.
// Given: one thread per output. You may change the launch and add helpers.
// Check it: harness/kata check conv1d   or   ctest -R conv1d
#include <kata/kata.h>

__global__ void conv1d_kernel(const float* x, const float* w, float* y, int n, int k) {
  // your code
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  const int outputs = n - k + 1;
  const int block = 256;
  const int grid = kata::ceil_div(outputs, block);
  conv1d_kernel<<<grid, block>>>(x, w, y, n, k);
}
