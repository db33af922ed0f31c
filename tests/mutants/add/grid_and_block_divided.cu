// Fault: the grid and the block are divided by 4 for float4: three quarters are never written.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = i; k < min(i + 4, n); ++k) c[k] = a[k] + b[k];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  add_kernel<<<(n + 1023) / 1024, 256 / 4>>>(a, b, c, n);
}
