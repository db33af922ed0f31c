// Fault: at most 65536 threads, and each takes one element: wrong only for n > 65536.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] < 0.0f ? 0.0f : x[i];
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<min((n + 1023) / 1024, 64), 1024>>>(x, y, n);
}
