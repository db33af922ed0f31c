// Fault: the index assumes blocks of 256; they have 128 threads.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 127) / 128, 128>>>(x, y, n);
}
