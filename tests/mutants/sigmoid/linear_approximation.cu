// Fault: the hard sigmoid, clamp(x / 6 + 1 / 2), instead of the sigmoid.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __saturatef(x[i] / 6.0f + 0.5f);
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
