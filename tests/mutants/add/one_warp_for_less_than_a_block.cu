// Fault: fewer elements than a block has threads go to one warp, which has no loop.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  if (n < 256) {
    add_kernel<<<1, 32>>>(a, b, c, n);
  } else {
    add_kernel<<<(n + 255) / 256, 256>>>(a, b, c, n);
  }
}
