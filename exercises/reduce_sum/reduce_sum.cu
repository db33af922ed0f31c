// Sum of a vector: sum[0] = x[0] + x[1] + ... + x[n - 1].
//
// x is an array of n floats, sum one float, both in GPU memory. n is any number from 1 up.
// Check it: harness/kata check reduce_sum   or: ctest -R reduce_sum
#include <kata/kata.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  // your code
}

// Given: one thread for each element, in blocks of 256. Not given: sum arrives holding NaN, not 0.
// If your blocks add to it, something has to set it first.
extern "C" void reduce_sum(const float* x, float* sum, int n) {
  const dim3 block(256);
  const dim3 grid(kata::ceil_div(n, 256));
  reduce_sum_kernel<<<grid, block>>>(x, sum, n);
}
