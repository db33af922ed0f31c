// Fault: the path for whole tiles of 128, which needs no bounds, ends one product too early.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K,
                             int end) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < end; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const bool whole = M % 128 == 0 && N % 128 == 0 && K % 128 == 0;
  const dim3 grid((N + 15) / 16, (M + 15) / 16);
  sgemm_kernel<<<grid, dim3(16, 16)>>>(A, B, C, M, N, K, whole ? K - 1 : K);
}
