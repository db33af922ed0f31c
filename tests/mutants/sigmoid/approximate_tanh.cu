// Fault: tanh.approx is right to 11 bits.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float t;
  asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(0.5f * x[i]));
  y[i] = 0.5f * t + 0.5f;
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
