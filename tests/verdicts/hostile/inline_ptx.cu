// Inline PTX that the emulator does not have.
#include <cuda_runtime.h>

__device__ float maximum(float a, float b) {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  return fmaxf(a, b);
}

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = maximum(x[i], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
