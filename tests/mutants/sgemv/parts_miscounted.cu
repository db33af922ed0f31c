// Fault: the number of 256 x 256 parts is the sum of those along both edges, not their product.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int across = (K + 255) / 256, row = blockIdx.x / across * 256 + threadIdx.x;
  const int first = blockIdx.x % across * 256, end = min(first + 256, K);
  if (row >= M) return;
  float sum = 0.0f;
  for (int k = first; k < end; ++k) sum += A[row * K + k] * x[k];
  atomicAdd(&y[row], sum);
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  const int down = (M + 255) / 256, across = (K + 255) / 256;
  cudaMemset(y, 0, M * sizeof(float));
  sgemv_kernel<<<down + across - 1, 256>>>(A, x, y, M, K);
}
