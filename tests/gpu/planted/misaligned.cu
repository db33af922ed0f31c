// float4 loads that start one float past a 16-byte boundary.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const float4 four = *reinterpret_cast<const float4*>(x + 1);
  if (n > 4) y[1] = fmaxf(four.x, 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<1, 32>>>(x, y, n);
}
