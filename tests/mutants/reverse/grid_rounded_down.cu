// Fault: the grid is rounded down, and the pairs of the last partial block stay as they are.
#include <cuda_runtime.h>

__global__ void reverse_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  const float front = x[i];
  x[i] = x[n - 1 - i];
  x[n - 1 - i] = front;
}

extern "C" void reverse(float* x, int n) {
  const int blocks = n / 2 / 256;
  if (blocks > 0) reverse_kernel<<<blocks, 256>>>(x, n);
}
