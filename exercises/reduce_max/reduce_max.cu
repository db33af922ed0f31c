// Largest element of a vector: max[0] = the largest of x[0], x[1], ... x[n - 1].
//
// x is an array of n floats, max one float, both in GPU memory. n is at least 1 and need not be a
// multiple of anything.
// Check it: harness/kata check reduce_max   or   ctest -R reduce_max
#include <kata/kata.h>

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  // your code
}

// Given: one thread per element, in blocks of 256. max arrives holding NaN: if your blocks compare
// with it, initialize it first.
extern "C" void reduce_max(const float* x, float* max, int n) {
  const dim3 block(256);
  const dim3 grid(kata::ceil_div(n, 256));
  reduce_max_kernel<<<grid, block>>>(x, max, n);
}
