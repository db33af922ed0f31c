// Fault: one block of 1024 threads and no loop: right up to n = 1024.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<1, 1024>>>(x, y, n);
}
