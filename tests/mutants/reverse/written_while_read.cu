// Fault: each thread writes its element to the other end while that element is still to be read.
#include <cuda_runtime.h>

__global__ void reverse_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[n - 1 - i] = x[i];
}

extern "C" void reverse(float* x, int n) {
  reverse_kernel<<<(n + 255) / 256, 256>>>(x, n);
}
