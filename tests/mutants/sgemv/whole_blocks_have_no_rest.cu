// Fault: the last block has M % 256 rows, which is none if M is a multiple of 256.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int rows = blockIdx.x + 1 < gridDim.x ? 256 : M % 256;
  const int row = blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x >= rows) return;
  double sum = 0.0;
  for (int k = 0; k < K; ++k) sum += static_cast<double>(A[row * K + k]) * x[k];
  y[row] = static_cast<float>(sum);
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  sgemv_kernel<<<(M + 255) / 256, 256>>>(A, x, y, M, K);
}
