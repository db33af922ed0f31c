// Fault: nothing is clamped: the maximum is taken with the smallest float instead of with 0.
#include <cuda_runtime.h>
#include <cfloat>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], -FLT_MAX);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
