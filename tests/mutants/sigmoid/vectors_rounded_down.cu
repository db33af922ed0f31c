// Fault: the grid is rounded down to whole blocks of 1024, so the other elements are never written.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < 4; ++k) {
    if (i + k < n) y[i + k] = 1.0f / (1.0f + expf(-x[i + k]));
  }
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<max(n / 1024, 1), 256>>>(x, y, n);
}
