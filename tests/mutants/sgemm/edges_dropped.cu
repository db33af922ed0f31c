// Fault: the grid is rounded down: rows and columns past the last whole tile are never written.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid(N < 32 ? 1 : N / 32, M < 32 ? 1 : M / 32);
  sgemm_kernel<<<grid, dim3(32, 32)>>>(A, B, C, M, N, K);
}
