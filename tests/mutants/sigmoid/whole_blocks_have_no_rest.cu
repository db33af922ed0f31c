// Fault: the last block handles n % 256 elements, which is none if n is a multiple of 256.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int count = blockIdx.x + 1 < gridDim.x ? 256 : n % 256;
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x < count) y[i] = 1.0f / (1.0f + expf(-x[i]));
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
