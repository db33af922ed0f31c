// Fault: at most 17 tiles of 16 columns.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k)
    sum += A[static_cast<size_t>(row) * K + k] * B[static_cast<size_t>(k) * N + col];
  C[static_cast<size_t>(row) * N + col] = sum;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const unsigned tiles = (N + 15) / 16;
  const dim3 grid(tiles < 17 ? tiles : 17, (M + 15) / 16);
  sgemm_kernel<<<grid, dim3(16, 16)>>>(A, B, C, M, N, K);
}
