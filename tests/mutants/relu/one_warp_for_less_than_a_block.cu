// Fault: fewer elements than a block has threads go to one warp, which has no loop.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  if (n < 256) {
    relu_kernel<<<1, 32>>>(x, y, n);
  } else {
    relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
  }
}
