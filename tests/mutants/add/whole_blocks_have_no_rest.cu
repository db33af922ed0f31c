// Fault: the last block handles n % 256 elements, which is none if n is a multiple of 256.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int mine = blockIdx.x == gridDim.x - 1 ? n % 256 : 256;
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x < mine) c[i] = a[i] + b[i];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  add_kernel<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
