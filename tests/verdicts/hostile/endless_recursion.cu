#include <cuda_runtime.h>

// On one line, so that the function and its call have the same.
__device__ float relu_of(const float* x, int i) { return i < 0 ? x[i] : relu_of(x, i) + 1.0f; }

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = relu_of(x, i);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
