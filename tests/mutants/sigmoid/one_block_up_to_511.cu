// Fault: one block of 256 is chosen by n / 256 <= 1, which is true up to 511.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  const int blocks = n / 256 <= 1 ? 1 : (n + 255) / 256;
  sigmoid_kernel<<<blocks, 256>>>(x, y, n);
}
