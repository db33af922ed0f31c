// A block per row; the reduction lies in a header of the person's own.
#include "halving.cuh"

__constant__ float one = 1.0f;
__device__ int launches = 0;

__global__ void __launch_bounds__(kThreads)
    row_kernel(const float* A, const float* x, float* y, int K) {
  float mine = 0.0f;
  for (int k = threadIdx.x; k < K; k += kThreads) mine += A[size_t(blockIdx.x) * K + k] * x[k];
  const float sum = block_sum(mine);
  if (threadIdx.x == 0) {
    y[blockIdx.x] = one * sum;
    if (blockIdx.x == 0) atomicAdd(&launches, 1);
  }
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  row_kernel<<<M, kThreads>>>(A, x, y, K);
}
