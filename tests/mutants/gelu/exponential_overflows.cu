// Fault: tanh from two exponentials in the tails: infinity / infinity is NaN.
#include <cuda_runtime.h>

__device__ float erf_of(float z) {
  if (fabsf(z) < 4.0f) return erff(z);
  const float e = expf(2.0f * z * fabsf(z));
  return (e - 1.0f) / (e + 1.0f);
}

__global__ void gelu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5f * x[i] * (1.0f + erf_of(x[i] * 0.70710678f));
}

extern "C" void gelu(const float* x, float* y, int n) {
  gelu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
