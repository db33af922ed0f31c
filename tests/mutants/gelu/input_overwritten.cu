// Fault: the intermediate value is stored in x, which must not change.
#include <cuda_runtime.h>

__global__ void gelu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float* scratch = const_cast<float*>(x);
  scratch[i] = 0.5f * x[i];
  y[i] = scratch[i] * (1.0f + erff(scratch[i] * 1.41421356f));
}

extern "C" void gelu(const float* x, float* y, int n) {
  gelu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
