// Fault: the number of 128 x 64 tiles is the sum of those along both edges, not their product.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const int across = (N + 63) / 64, col = blockIdx.x % across * 64 + threadIdx.x;
  const int first = blockIdx.x / across * 128, end = min(first + 128, M);
  if (col >= N) return;
  for (int row = first; row < end; ++row) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const int down = (M + 127) / 128, across = (N + 63) / 64;
  sgemm_kernel<<<down + across - 1, 64>>>(A, B, C, M, N, K);
}
