// Fault: the output is read before it is written; fmaxf happens to drop its NaN.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float sum = a[i] + b[i];
  if (fmaxf(c[i], sum) == sum) c[i] = sum;
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  add_kernel<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
