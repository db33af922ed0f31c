// Fault: n < 4 is left to one thread, which handles one element.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  const int threads = n < 4 ? 1 : 256;
  const int blocks = n < 4 ? 1 : (n + 255) / 256;
  sigmoid_kernel<<<blocks, threads>>>(x, y, n);
}
