// Fault: pairs of columns are stored as one word, also where N is odd.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__device__ float gelu(float x) {
  return 0.5f * x * (1.0f + erff(x * 0.70710678f));
}

__global__ void gemm_kernel(const __nv_bfloat16* A, const __nv_bfloat16* B,
                            const __nv_bfloat16* bias, __nv_bfloat16* C, int M, int N, int K) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N || col % 2 != 0) return;
  float sums[2] = {};
  for (int i = 0; i < 2 && col + i < N; ++i) {
    for (int k = 0; k < K; ++k) {
      sums[i] += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col + i]);
    }
    sums[i] = gelu(sums[i] + __bfloat162float(bias[col + i]));
  }
  *reinterpret_cast<__nv_bfloat162*>(C + row * N + col) = __floats2bfloat162_rn(sums[0], sums[1]);
}

extern "C" void gemm_bias_gelu(const __nv_bfloat16* A, const __nv_bfloat16* B,
                               const __nv_bfloat16* bias, __nv_bfloat16* C, int M, int N, int K) {
  gemm_kernel<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, bias, C, M, N, K);
}
