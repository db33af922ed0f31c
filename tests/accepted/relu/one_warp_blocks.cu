// Blocks of one warp, each with 128 elements of its own; the launch has attributes.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int first = blockIdx.x * 128 + threadIdx.x;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int i = first + 32 * j;
    if (i < n) __stcs(&y[i], fmaxf(__ldcs(&x[i]), 0.0f));
  }
}

extern "C" void relu(const float* x, float* y, int n) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3((n + 127) / 128);
  config.blockDim = dim3(32);
  cudaLaunchKernelEx(&config, relu_kernel, x, y, n);
}
