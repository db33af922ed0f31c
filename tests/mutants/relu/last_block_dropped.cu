// Fault: the last block is not launched, unless it is the only one.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<max((n + 511) / 512 - 1, 1), 512>>>(x, y, n);
}
