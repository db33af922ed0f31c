// Fault: computed on zeros: the staging buffer is cleared after the copy, not before.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  float* staging;
  cudaMalloc(&staging, n * sizeof(float));
  cudaMemcpy(staging, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaMemset(staging, 0, n * sizeof(float));
  sigmoid_kernel<<<(n + 255) / 256, 256>>>(staging, y, n);
  cudaFree(staging);
}
