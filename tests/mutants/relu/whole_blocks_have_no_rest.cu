// Fault: the last block gets n % 512 elements: none where n is a multiple of 512.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int count) {
  const int i = threadIdx.x;
  if (i < count) y[i] = fmaxf(x[i], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  const int whole = (n - 1) / 512;
  for (int b = 0; b < whole; ++b) relu_kernel<<<1, 512>>>(x + 512 * b, y + 512 * b, 512);
  relu_kernel<<<1, 512>>>(x + 512 * whole, y + 512 * whole, n % 512);
}
