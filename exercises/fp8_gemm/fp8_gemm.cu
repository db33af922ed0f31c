// fp8_gemm: C = A B^T in FP8 (e4m3), with a scale for each block of 128 along K.
//   A is [M, K], B is [N, K], C is [M, N], all row-major; K is a multiple of 128
//   scale_a is [K/128, M], scale_b is [ceil(N/128), K/128]
//   C[m, n] = sum over q of scale_a[q, m] * scale_b[n / 128, q] * (sum over block q of A[m, k] * B[n, k])
//
// Given: one thread per element of C. You may change the launch and add kernels.
// Check it: harness/kata check fp8_gemm   or   ctest -R fp8_gemm
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <kata/kata.h>

__global__ void product_kernel(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                               const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
  // your code
}

extern "C" void fp8_gemm(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                         const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
  const dim3 block(32, 8);
  const dim3 grid(kata::ceil_div(N, 32), kata::ceil_div(M, 8));
  product_kernel<<<grid, block>>>(A, B, scale_a, scale_b, C, M, N, K);
}
