// compact: y holds those x[i] that are greater than 0, in their order; *count says how many.
//
// n is at least 1; *count may be 0. y has room for n floats, elements from *count on may hold
// anything. y arrives filled with NaN, *count with a meaningless value.
// Given: one thread per element, 256 threads per block. You may change the launch, add kernels and
// allocate scratch memory.
// Check it: harness/kata check compact   or   ctest -R compact
#include <kata/kata.h>

__global__ void compact_kernel(const float* x, float* y, int* count, int n) {
  // your code
}

extern "C" void compact(const float* x, float* y, int* count, int n) {
  const int threads = 256;
  compact_kernel<<<kata::ceil_div(n, threads), threads>>>(x, y, count, n);
}
