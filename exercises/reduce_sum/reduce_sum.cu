// Sum of a vector: sum[0] = x[0] + x[1] + ... + x[n - 1].
//
// x is an array of n floats, sum one float, both in GPU memory. n is at least 1 and need not be a
// multiple of anything.
// Check it: harness/kata check reduce_sum   or   ctest -R reduce_sum
#include <kata/kata.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  // your code
}

// Given: one thread per element, in blocks of 256. sum arrives holding NaN, not 0: if your blocks
// add to it, set it to 0 first.
extern "C" void reduce_sum(const float* x, float* sum, int n) {
  const dim3 block(256);
  const dim3 grid(kata::ceil_div(n, 256));
  reduce_sum_kernel<<<grid, block>>>(x, sum, n);
}
