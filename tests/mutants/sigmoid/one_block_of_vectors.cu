// Fault: one block of 1024 threads with four elements each is chosen by n / 4096 <= 1.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = first; i < min(first + 4, n); ++i) y[i] = 1.0f / (1.0f + expf(-x[i]));
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  const int blocks = n / 4096 <= 1 ? 1 : (n + 4095) / 4096;
  sigmoid_kernel<<<blocks, 1024>>>(x, y, n);
}
