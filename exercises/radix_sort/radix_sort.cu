// radix_sort: out holds the n keys of in, in ascending order.
//
// n is at least 1 and need not be a multiple of anything. in must not change; out arrives filled
// with 0xA5 bytes.
// Given: one thread per key, 256 threads per block. You may change the launch, add kernels and
// allocate scratch memory.
// Check it: harness/kata check radix_sort   or   ctest -R radix_sort
#include <kata/kata.h>

__global__ void radix_sort_kernel(const unsigned* in, unsigned* out, int n) {
  // your code
}

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  const int threads = 256;
  radix_sort_kernel<<<kata::ceil_div(n, threads), threads>>>(in, out, n);
}
