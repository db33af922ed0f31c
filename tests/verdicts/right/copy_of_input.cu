// Copies the input to the output, which it may change.
#include <cuda_runtime.h>

__global__ void in_place(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = fmaxf(x[i], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  if (n == 0) return;
  cudaMemcpy(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
  in_place<<<(n + 255) / 256, 256>>>(y, n);
}
