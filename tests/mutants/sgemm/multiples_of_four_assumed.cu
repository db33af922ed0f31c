// Fault: float4 loads of B and stores of C assume that N is a multiple of 4.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = 4 * (blockIdx.x * 16 + threadIdx.x), row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N) return;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (int k = 0; k < K; ++k) {
    const float a = A[row * K + k];
    const float4 b = *reinterpret_cast<const float4*>(&B[k * N + col]);
    sum.x += a * b.x, sum.y += a * b.y, sum.z += a * b.z, sum.w += a * b.w;
  }
  *reinterpret_cast<float4*>(&C[row * N + col]) = sum;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid((N + 63) / 64, (M + 15) / 16);
  sgemm_kernel<<<grid, dim3(16, 16)>>>(A, B, C, M, N, K);
}
