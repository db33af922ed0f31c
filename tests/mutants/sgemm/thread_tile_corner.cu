// Fault: each thread stores 2 x 2 results, of which only the first is checked against M and N.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = 2 * (blockIdx.x * 16 + threadIdx.x), row = 2 * (blockIdx.y * 16 + threadIdx.y);
  if (row >= M || col >= N) return;
  float sum[2][2] = {};
  for (int k = 0; k < K; ++k) {
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        const float a = row + i < M ? A[(row + i) * K + k] : 0.0f;
        sum[i][j] += a * (col + j < N ? B[k * N + col + j] : 0.0f);
      }
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) C[(row + i) * N + col + j] = sum[i][j];
  }
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid((N + 31) / 32, (M + 31) / 32);
  sgemm_kernel<<<grid, dim3(16, 16)>>>(A, B, C, M, N, K);
}
