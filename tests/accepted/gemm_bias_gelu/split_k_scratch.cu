// Three parts of the sum in scratch memory, added up by a second kernel that applies bias and GELU.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void parts_of_sums(const __nv_bfloat16* A, const __nv_bfloat16* B, float* parts, int M,
                              int N, int K) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = blockIdx.z; k < K; k += 3) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  parts[(blockIdx.z * M + row) * N + col] = sum;
}

__global__ void finish(const float* parts, const __nv_bfloat16* bias, __nv_bfloat16* C, int size,
                       int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const float x = parts[i] + parts[size + i] + parts[2 * size + i] + __bfloat162float(bias[i % N]);
  C[i] = __float2bfloat16(0.5f * x * erfcf(-0.70710678f * x));
}

extern "C" void gemm_bias_gelu(const __nv_bfloat16* A, const __nv_bfloat16* B,
                               const __nv_bfloat16* bias, __nv_bfloat16* C, int M, int N, int K) {
  float* parts = nullptr;
  cudaMallocAsync(&parts, 3 * sizeof(float) * M * N, 0);
  parts_of_sums<<<dim3((N + 15) / 16, (M + 15) / 16, 3), dim3(16, 16)>>>(A, B, parts, M, N, K);
  finish<<<(M * N + 255) / 256, 256>>>(parts, bias, C, M * N, N);
  cudaFreeAsync(parts, 0);
}
