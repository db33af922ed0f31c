// Fault: the mirror of i is computed as n - i.
#include <cuda_runtime.h>

__global__ void reverse_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  const float front = x[i];
  x[i] = x[n - i];
  x[n - i] = front;
}

extern "C" void reverse(float* x, int n) {
  reverse_kernel<<<n / 512 + 1, 256>>>(x, n);
}
