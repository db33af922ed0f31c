// Fault: all n threads swap, so that both threads of a pair swap the same two elements.
#include <cuda_runtime.h>

__global__ void reverse_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float front = x[i];
  const float back = x[n - 1 - i];
  x[i] = back;
  x[n - 1 - i] = front;
}

extern "C" void reverse(float* x, int n) {
  reverse_kernel<<<(n + 255) / 256, 256>>>(x, n);
}
