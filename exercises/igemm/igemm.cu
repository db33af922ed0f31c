// igemm: C = A B of 8-bit integers. A is [M, K], B is [N, K] (B comes transposed), C is [M, N], all
// row-major: C[i][j] = sum over k of A[i][k] * B[j][k]. The result is exact.
//
// M, N and K are at least 1 and need not be multiples of anything; K is at most 65536. C arrives
// filled with 0xA5 bytes.
// Given: one block of 16 x 16 threads per 16 x 16 tile of C; x runs along N, y along M. You may
// change the launch and add helpers.
// Check it: harness/kata check igemm   or   ctest -R igemm
#include <kata/kata.h>

__global__ void igemm_kernel(const signed char* A, const signed char* B, int* C, int M, int N,
                             int K) {
  // your code
}

extern "C" void igemm(const signed char* A, const signed char* B, int* C, int M, int N, int K) {
  const dim3 block(16, 16);
  const dim3 grid(kata::ceil_div(N, 16), kata::ceil_div(M, 16));
  igemm_kernel<<<grid, block>>>(A, B, C, M, N, K);
}
