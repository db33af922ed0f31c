// Fault: the grid is capped at 256 blocks and nothing loops: wrong only for n > 65536.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  const int blocks = (n + 255) / 256;
  const int most = 256;
  add_kernel<<<min(blocks, most), 256>>>(a, b, c, n);
}
