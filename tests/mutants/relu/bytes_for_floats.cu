// Fault: n bytes are copied, not n floats: three quarters are never written.
#include <cuda_runtime.h>

__global__ void clamp(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && y[i] < 0.0f) y[i] = 0.0f;
}

extern "C" void relu(const float* x, float* y, int n) {
  cudaMemcpy(y, x, n, cudaMemcpyDeviceToDevice);
  clamp<<<(n + 255) / 256, 256>>>(y, n);
}
