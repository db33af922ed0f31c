// gemm_bias_gelu: C = gelu(A B + bias), the first half of a transformer's feed-forward layer. A is
// [M, K], B is [K, N], bias has N elements, C is [M, N], all row-major, in bf16.
//   gelu(x) = x / 2 (1 + erf(x / sqrt 2))
//
// Sum in float, add the bias and apply GELU in float, and round to bf16 once. M, N and K are at
// least 1 and need not be multiples of anything. C arrives filled with NaN.
// Given: one block of 16 x 16 threads per 16 x 16 tile of C; x runs along N, y along M. You may
// change the launch and add helpers.
// Check it: harness/kata check gemm_bias_gelu   or   ctest -R gemm_bias_gelu
#include <cuda_bf16.h>

#include <kata/kata.h>

__global__ void gemm_kernel(const __nv_bfloat16* A, const __nv_bfloat16* B,
                            const __nv_bfloat16* bias, __nv_bfloat16* C, int M, int N, int K) {
  // your code
}

extern "C" void gemm_bias_gelu(const __nv_bfloat16* A, const __nv_bfloat16* B,
                               const __nv_bfloat16* bias, __nv_bfloat16* C, int M, int N, int K) {
  const dim3 block(16, 16);
  const dim3 grid(kata::ceil_div(N, 16), kata::ceil_div(M, 16));
  gemm_kernel<<<grid, block>>>(A, B, bias, C, M, N, K);
}
