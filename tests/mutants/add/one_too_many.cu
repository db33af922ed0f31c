// Fault: <= for <, so one element past the end is read and written.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x) {
    c[i] = a[i] + b[i];
  }
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  add_kernel<<<32, 256>>>(a, b, c, n);
}
