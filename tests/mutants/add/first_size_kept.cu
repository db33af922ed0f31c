// Fault: the grid is computed only in the first call: wrong from the second launch on.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  static const int blocks = (n + 255) / 256;
  add_kernel<<<blocks, 256>>>(a, b, c, n);
}
