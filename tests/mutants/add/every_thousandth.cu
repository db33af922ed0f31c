// Fault: blocks of 1000 leave out the last element of each thousand.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int first = 1000 * blockIdx.x;
  for (int k = threadIdx.x; k < 999; k += blockDim.x) {
    if (first + k < n) c[first + k] = a[first + k] + b[first + k];
  }
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  add_kernel<<<(n + 999) / 1000, 250>>>(a, b, c, n);
}
