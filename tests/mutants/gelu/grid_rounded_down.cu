// Fault: n / 256 blocks: the last n % 256 elements have no thread.
#include <cuda_runtime.h>

__global__ void gelu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  y[i] = 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

extern "C" void gelu(const float* x, float* y, int n) {
  const int grid = n < 256 ? 1 : n / 256;
  gelu_kernel<<<grid, 256>>>(x, y, n);
}
