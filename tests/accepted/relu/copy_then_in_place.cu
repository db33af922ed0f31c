// A copy of the input becomes the output, in place.
#include <cuda_runtime.h>

__global__ void clamp_below(float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (y[i] < 0.0f) y[i] = 0.0f;
}

extern "C" void relu(const float* x, float* y, int n) {
  cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
  clamp_below<<<5, 160>>>(y, n);
}
