// Fault: half as many threads as columns, rounded down: none at all for one column.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int K) {
  const float* row = A + blockIdx.x * K;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < K; k += blockDim.x) sum += row[k] * x[k];
  atomicAdd(&y[blockIdx.x], sum);
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  const int half = K / 2;
  cudaMemset(y, 0, M * sizeof(float));
  sgemv_kernel<<<M, min(half, 256)>>>(A, x, y, K);
}
