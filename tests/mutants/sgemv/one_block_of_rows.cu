// Fault: a thread per row in one block of at most 1024.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int K) {
  const int row = threadIdx.x;
  double sum = 0.0;
  for (int k = 0; k < K; ++k) sum += static_cast<double>(A[row * K + k]) * x[k];
  y[row] = static_cast<float>(sum);
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  sgemv_kernel<<<1, min(M, 1024)>>>(A, x, y, K);
}
