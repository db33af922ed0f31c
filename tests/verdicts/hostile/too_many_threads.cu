// 2048 threads in a block where 1024 are the limit: the kernel never runs.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  if (threadIdx.x < n) y[threadIdx.x] = fmaxf(x[threadIdx.x], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<1, 2048>>>(x, y, n);
}
