// Fault: the rows of B are assumed to be K long: correct only if N equals K.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * K + col];
  C[row * N + col] = sum;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid((N + 15) / 16, (M + 15) / 16);
  sgemm_kernel<<<grid, dim3(16, 16)>>>(A, B, C, M, N, K);
}
