// histogram: counts[b] = how many of the n values x[i] equal b; 0 <= x[i] < bins.
//
// n and bins need not be a multiple of anything. counts arrives filled with garbage.
// Given: one thread per element. You may change the launch and add helpers and kernels.
// Check it: harness/kata check histogram   or   ctest -R histogram
#include <kata/kata.h>

__global__ void histogram_kernel(const int* x, int* counts, int n, int bins) {
  // your code
}

extern "C" void histogram(const int* x, int* counts, int n, int bins) {
  const int block = 256;
  const int grid = kata::ceil_div(n, block);
  histogram_kernel<<<grid, block>>>(x, counts, n, bins);
}
