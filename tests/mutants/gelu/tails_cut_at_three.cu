// Fault: x above 3 and 0 below -3, where gelu still differs from both by 4e-3.
#include <cuda_runtime.h>

__global__ void gelu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  y[i] = v > 3.0f ? v : v < -3.0f ? 0.0f : 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

extern "C" void gelu(const float* x, float* y, int n) {
  gelu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
