// Fault: x is clamped in place, and then copied.
#include <cuda_runtime.h>

__global__ void clamp(float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (x[i] < 0.0f) x[i] = 0.0f;
  y[i] = x[i];
}

extern "C" void relu(const float* x, float* y, int n) {
  clamp<<<(n + 255) / 256, 256>>>((float*)x, y, n);
}
