// Fault: the input is clamped to +-88, so gelu(100) is 88.
#include <cuda_runtime.h>

__global__ void gelu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = fminf(fmaxf(x[i], -88.0f), 88.0f);
  y[i] = 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

extern "C" void gelu(const float* x, float* y, int n) {
  gelu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
