// Fault: a thread takes two rows, and the second is not checked against M.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int row = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= M) return;
  float first = 0.0f, second = 0.0f;
  for (int k = 0; k < K; ++k) {
    first += A[row * K + k] * x[k];
    second += A[(row + 1) * K + k] * x[k];
  }
  y[row] = first;
  y[row + 1] = second;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  sgemv_kernel<<<(M + 255) / 256, 128>>>(A, x, y, M, K);
}
