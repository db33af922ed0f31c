// Fault: no bound check; threads past the middle swap pairs back, and the last ones leave the
// array.
#include <cuda_runtime.h>

__global__ void reverse_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float front = x[i];
  x[i] = x[n - 1 - i];
  x[n - 1 - i] = front;
}

extern "C" void reverse(float* x, int n) {
  reverse_kernel<<<n / 512 + 1, 256>>>(x, n);
}
