// One thread, one float, from the first element to the last.
#include <cuda_runtime.h>

__global__ void scan_kernel(const float* x, float* y, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) y[i] = sum += x[i];
}

extern "C" void scan(const float* x, float* y, int n) {
  scan_kernel<<<1, 1>>>(x, y, n);
}
