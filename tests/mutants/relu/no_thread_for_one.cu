// Fault: the grid is computed for pairs and is empty for n = 1.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
  if (i + 1 < n) y[i + 1] = fmaxf(x[i + 1], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  const int threads = n / 2 + (n > 2 ? n % 2 : 0);
  relu_kernel<<<(threads + 127) / 128, 128>>>(x, y, n);
}
