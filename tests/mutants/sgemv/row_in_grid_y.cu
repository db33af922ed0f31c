// Fault: the row is blockIdx.y, and a grid has at most 65535 blocks along y.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int K) {
  const int row = blockIdx.y;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < K; k += 32) sum += A[static_cast<size_t>(row) * K + k] * x[k];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x == 0) y[row] = sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  sgemv_kernel<<<dim3(1, M), 32>>>(A, x, y, K);
}
