// Fault: the result is twice too large.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * x[k];
  y[row] = sum + sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  sgemv_kernel<<<(M + 127) / 128, 128>>>(A, x, y, M, K);
}
