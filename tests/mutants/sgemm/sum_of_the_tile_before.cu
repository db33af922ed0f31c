// Fault: a thread computes two rows and does not set the sum to 0 for the second.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * 32 + threadIdx.x, first = 2 * (blockIdx.y * 8 + threadIdx.y);
  if (col >= N) return;
  float sum = 0.0f;
  for (int row = first; row < min(first + 2, M); ++row) {
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid((N + 31) / 32, (M + 15) / 16);
  sgemm_kernel<<<grid, dim3(32, 8)>>>(A, B, C, M, N, K);
}
