// Fault: one block of n threads: a block has at most 1024.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y) {
  y[threadIdx.x] = fmaxf(x[threadIdx.x], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<1, n>>>(x, y);
}
