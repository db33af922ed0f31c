// Fault: the last block has more threads than elements are left, and nothing checks.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  add_kernel<<<(n + 127) / 128, 128>>>(a, b, c);
}
