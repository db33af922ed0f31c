// topk: y holds the k largest of the n floats in x, in descending order.
//
// 1 <= k <= n. Equal values count as often as they occur. y has k floats and arrives filled with
// NaN.
// Given: one thread per element, 256 threads per block. You may change the launch, add kernels and
// allocate scratch memory.
// Check it: harness/kata check topk   or   ctest -R topk
#include <kata/kata.h>

__global__ void topk_kernel(const float* x, float* y, int n, int k) {
  // your code
}

extern "C" void topk(const float* x, float* y, int n, int k) {
  const int threads = 256;
  topk_kernel<<<kata::ceil_div(n, threads), threads>>>(x, y, n, k);
}
