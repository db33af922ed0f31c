// reverse: reverse the n floats of x in place: x[i] and x[n - 1 - i] change places.
//
// n is at least 1 and need not be a multiple of anything.
// Given: one thread per pair, in blocks of 256. You may change the launch and add helpers.
// Check it: harness/kata check reverse   or   ctest -R reverse
#include <kata/kata.h>

__global__ void reverse_kernel(float* x, int n) {
  // your code
}

extern "C" void reverse(float* x, int n) {
  const int block = 256;
  const int grid = kata::ceil_div(n / 2, block);
  if (grid > 0) reverse_kernel<<<grid, block>>>(x, n);  // n = 1 has no pair
}
