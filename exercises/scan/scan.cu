// scan: y[i] = x[0] + ... + x[i], the inclusive prefix sum of n floats.
//
// n is at least 1 and need not be a multiple of anything. y arrives filled with NaN.
// Given: one thread per element, 256 threads per block. You may change the launch, add kernels and
// allocate scratch memory.
// Check it: harness/kata check scan   or   ctest -R scan
#include <kata/kata.h>

__global__ void scan_kernel(const float* x, float* y, int n) {
  // your code
}

extern "C" void scan(const float* x, float* y, int n) {
  const int threads = 256;
  scan_kernel<<<kata::ceil_div(n, threads), threads>>>(x, y, n);
}
