// Fault: beta is 0, but 0 times the NaN that C arrives with is NaN.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K,
                             float alpha, float beta) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid((N + 31) / 32, (M + 7) / 8);
  sgemm_kernel<<<grid, dim3(32, 8)>>>(A, B, C, M, N, K, 1.0f, 0.0f);
}
