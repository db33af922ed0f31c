// Fault: the grid is rounded down, so the last n % 1024 elements are never written.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

extern "C" void relu(const float* x, float* y, int n) {
  const int block = n < 1024 ? n : 1024;
  relu_kernel<<<n / block, block>>>(x, y);
}
