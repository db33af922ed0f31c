// Fault: fabsf loses the sign of -0, and copysignf is asked of a comparison, not of the bits.
#include <cuda_runtime.h>

__global__ void reverse_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  const float a = x[i], b = x[n - 1 - i];
  x[i] = b < 0 ? -fabsf(b) : fabsf(b);
  x[n - 1 - i] = a < 0 ? -fabsf(a) : fabsf(a);
}

extern "C" void reverse(float* x, int n) {
  reverse_kernel<<<(n / 2 + 255) / 256 + 1, 256>>>(x, n);
}
