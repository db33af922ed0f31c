// Fault: an atomic counter hands out the places, so the order is lost.
#include <cuda_runtime.h>

__global__ void compact_kernel(const float* x, float* y, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0.0f) y[atomicAdd(count, 1)] = x[i];
}

extern "C" void compact(const float* x, float* y, int* count, int n) {
  cudaMemset(count, 0, sizeof(int));
  compact_kernel<<<(n - 1) / 256 + 1, 256>>>(x, y, count, n);
}
