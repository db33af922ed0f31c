// Fault: the grid is rounded down, so the last n % 256 elements are never written.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  const int block = n < 256 ? n : 256;
  add_kernel<<<n / block, block>>>(a, b, c, n);
}
