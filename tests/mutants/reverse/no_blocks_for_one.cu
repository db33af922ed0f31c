// Fault: n = 1 launches a grid of 0 blocks, which is an invalid launch.
#include <cuda_runtime.h>

__global__ void reverse_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  const float front = x[i];
  x[i] = x[n - 1 - i];
  x[n - 1 - i] = front;
}

extern "C" void reverse(float* x, int n) {
  reverse_kernel<<<(n / 2 + 255) / 256, 256>>>(x, n);
}
