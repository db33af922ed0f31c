// Fault: a second kernel takes its argument from y, which no kernel has set where x < 0.
#include <cuda_runtime.h>

__global__ void positive(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] >= 0.0f) y[i] = expf(-x[i]);
}

__global__ void divide(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + y[i]);
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  const int blocks = (n + 255) / 256;
  positive<<<blocks, 256>>>(x, y, n);
  divide<<<blocks, 256>>>(y, n);
}
