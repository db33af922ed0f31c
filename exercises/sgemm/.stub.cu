// sgemm: C = A B; A is [M, K], B is [K, N], C is [M, N], all row-major.
//
// M, N and K are at least 1 and need not be multiples of anything. C arrives filled with NaN.
// Given: one block of 32 x 32 threads per 32 x 32 tile of C; x runs along N, y along M. You may
// change the launch and add helpers.
// Check it: harness/kata check sgemm   or   ctest -R sgemm
#include <kata/kata.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  // your code
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 block(32, 32);
  const dim3 grid(kata::ceil_div(N, 32), kata::ceil_div(M, 32));
  sgemm_kernel<<<grid, block>>>(A, B, C, M, N, K);
}
