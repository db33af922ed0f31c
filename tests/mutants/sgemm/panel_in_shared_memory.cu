// Fault: a whole row of A is kept in 256 floats of shared memory: right up to K = 256.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float panel[256];
  const int row = blockIdx.y, col = blockIdx.x * 64 + threadIdx.x;
  for (int k = threadIdx.x; k < K; k += 64) panel[k] = A[row * K + k];
  __syncthreads();
  if (col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += panel[k] * B[k * N + col];
  C[row * N + col] = sum;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  sgemm_kernel<<<dim3((N + 63) / 64, M), 64>>>(A, B, C, M, N, K);
}
