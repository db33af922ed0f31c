// The result is right, but an atomic function changes the input, if only from zero to zero.
#include <cuda_runtime.h>

__global__ void relu_kernel(float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = fmaxf(atomicAdd(&x[i], 0.0f), 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 255) / 256, 256>>>(const_cast<float*>(x), y, n);
}
