// Fault: the loop strides by two grids, so every other stretch of 16384 elements is never written.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int stride = 2 * gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) c[i] = a[i] + b[i];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  add_kernel<<<64, 256>>>(a, b, c, n);
}
