// Fault: four scalars are loaded before any bound is checked.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  const float v[4] = {x[i], x[i + 1], x[i + 2], x[i + 3]};
  for (int k = 0; k < 4; ++k) {
    if (i + k < n) y[i + k] = 1.0f / (1.0f + expf(-v[k]));
  }
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<(n + 1023) / 1024, 256>>>(x, y, n);
}
