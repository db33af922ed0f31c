// Fault: only positive results are written.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0.0f) y[i] = x[i];
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
