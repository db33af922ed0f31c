// Fault: one block of 256 is chosen by n / 256 <= 1, which is true up to 511.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  const int blocks = n / 256 <= 1 ? 1 : (n + 255) / 256;
  relu_kernel<<<blocks, 256>>>(x, y, n);
}
