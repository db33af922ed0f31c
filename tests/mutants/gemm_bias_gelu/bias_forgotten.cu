// Fault: no bias.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__device__ float gelu(float x) {
  return 0.5f * x * (1.0f + erff(x * 0.70710678f));
}

__global__ void gemm_kernel(const __nv_bfloat16* A, const __nv_bfloat16* B,
                            const __nv_bfloat16* bias, __nv_bfloat16* C, int M, int N, int K) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C[row * N + col] = __float2bfloat16(gelu(sum));
}

extern "C" void gemm_bias_gelu(const __nv_bfloat16* A, const __nv_bfloat16* B,
                               const __nv_bfloat16* bias, __nv_bfloat16* C, int M, int N, int K) {
  gemm_kernel<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, bias, C, M, N, K);
}
