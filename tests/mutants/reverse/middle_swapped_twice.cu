// Fault: i <= n / 2 swaps the middle pair of an even n twice.
#include <cuda_runtime.h>

__global__ void reverse_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n / 2 || n == 1) return;
  const float front = x[i];
  const float back = x[n - 1 - i];
  x[i] = back;
  x[n - 1 - i] = front;
}

extern "C" void reverse(float* x, int n) {
  reverse_kernel<<<n / 2 / 256 + 1, 256>>>(x, n);
}
