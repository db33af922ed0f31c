// merge: C holds the M elements of A and the N elements of B, in ascending order. A and B ascend.
//
// M and N are at least 1 and need not be multiples of anything. Of equal elements those of A come
// first. A and B must not change; C arrives filled with NaN.
// Given: one thread per element of C, 256 threads per block. You may change the launch and add
// helpers.
// Check it: harness/kata check merge   or   ctest -R merge
#include <kata/kata.h>

__global__ void merge_kernel(const float* A, const float* B, float* C, int M, int N) {
  // your code
}

extern "C" void merge(const float* A, const float* B, float* C, int M, int N) {
  const int threads = 256;
  merge_kernel<<<kata::ceil_div(M + N, threads), threads>>>(A, B, C, M, N);
}
