// Fault: one column takes a separate path, a warp per row, without a loop over K.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}

__global__ void column_kernel(const float* A, const float* b, float* c, int K) {
  const int row = blockIdx.x, k = threadIdx.x;
  float sum = k < K ? A[row * K + k] * b[k] : 0.0f;
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (k == 0) c[row] = sum;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  if (N == 1) return column_kernel<<<M, 32>>>(A, B, C, K);
  const dim3 grid((N + 15) / 16, (M + 15) / 16);
  sgemm_kernel<<<grid, dim3(16, 16)>>>(A, B, C, M, N, K);
}
