// Fault: 1 / 2 is 0 in integers: the 0.5 of 0.5 + 0.5 tanh(x / 2) is lost.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1 / 2 + 0.5f * tanhf(0.5f * x[i]);
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
