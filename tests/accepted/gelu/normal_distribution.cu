// x times the normal distribution function, from CUDA's normcdff; one block walks the whole array.
#include <cuda_runtime.h>

__global__ void gelu_kernel(const float* x, float* y, int n) {
  for (int i = n - 1 - threadIdx.x; i >= 0; i -= blockDim.x) y[i] = x[i] * normcdff(x[i]);
}

extern "C" void gelu(const float* x, float* y, int n) {
  gelu_kernel<<<1, 512>>>(x, y, n);
}
