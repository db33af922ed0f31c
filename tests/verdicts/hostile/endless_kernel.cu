// A kernel that spins on a value that no thread will ever write.
#include <cuda_runtime.h>

__global__ void relu_kernel(const volatile float* x, float* y, int n) {
  while (x[0] != 1e30f) {
  }
  y[0] = n;
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<1, 32>>>(x, y, n);
}
