// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int row = blockIdx.x;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < K; k += 32) sum += A[row * K + k] * x[k];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x == 0) y[row] = sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  sgemv_kernel<<<M, 32>>>(A, x, y, M, K);
}
