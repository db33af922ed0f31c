// Fault: exp(x) / (1 + exp(x)) is inf / inf for x above 88.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float e = expf(x[i]);
  y[i] = e / (1.0f + e);
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
