// Fault: n < 4 takes a scalar path in which one thread handles one element.
#include <cuda_runtime.h>

__global__ void add_few(const float* a, const float* b, float* c) {
  c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

__global__ void add_vectors(const float* a, const float* b, float* c, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = i; k < min(i + 4, n); ++k) c[k] = a[k] + b[k];
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  if (n < 4) {
    add_few<<<1, 1>>>(a, b, c);
  } else {
    add_vectors<<<(n + 1023) / 1024, 256>>>(a, b, c, n);
  }
}
