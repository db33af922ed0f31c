// Fault: one block of 1024 threads with four elements each is chosen by n / 4096 <= 1.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = first; i < min(first + 4, n); ++i) c[i] = a[i] + b[i];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  const int blocks = n / 4096 <= 1 ? 1 : (n + 4095) / 4096;
  add_kernel<<<blocks, 1024>>>(a, b, c, n);
}
