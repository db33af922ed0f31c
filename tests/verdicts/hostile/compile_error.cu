// A name that does not exist: the compiler's own words, with this file and line 5.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  y[threadIdx.x] = undeclared_name;
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<1, 32>>>(x, y, n);
}
