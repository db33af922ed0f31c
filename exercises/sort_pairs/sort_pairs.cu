// sort_pairs: the n keys in ascending order, each with its value. Equal keys keep their order.
//
// n is at least 1 and need not be a multiple of anything. keys_in and values_in must not change;
// keys_out and values_out arrive filled with 0xA5 bytes.
// Given: one thread per pair, 256 threads per block. You may change the launch, add kernels and
// allocate scratch memory.
// Check it: harness/kata check sort_pairs   or   ctest -R sort_pairs
#include <kata/kata.h>

__global__ void sort_pairs_kernel(const unsigned* keys_in, const int* values_in,
                                  unsigned* keys_out, int* values_out, int n) {
  // your code
}

extern "C" void sort_pairs(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
                           int* values_out, int n) {
  const int threads = 256;
  sort_pairs_kernel<<<kata::ceil_div(n, threads), threads>>>(keys_in, values_in, keys_out,
                                                             values_out, n);
}
