// hgemm: C = alpha A B + beta C. A is [M, K], B is [K, N], C is [M, N], all row-major, in half. Sum
// in float and round to half once.
//
// M, N and K are at least 1 and need not be multiples of anything. With beta 0, C arrives filled
// with NaN and must not be read.
// Given: one block of 16 x 16 threads per 16 x 16 tile of C; x runs along N, y along M. You may
// change the launch and add helpers.
// Check it: harness/kata check hgemm   or   ctest -R hgemm
#include <cuda_fp16.h>

#include <kata/kata.h>

__global__ void hgemm_kernel(const __half* A, const __half* B, __half* C, int M, int N, int K,
                             float alpha, float beta) {
  // your code
}

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  const dim3 block(16, 16);
  const dim3 grid(kata::ceil_div(N, 16), kata::ceil_div(M, 16));
  hgemm_kernel<<<grid, block>>>(A, B, C, M, N, K, alpha, beta);
}
