// Fault: the count is the last element's place: one too few if the last element is kept.
#include <cuda_runtime.h>

__global__ void compact_kernel(const float* x, float* y, int* count, int n) {
  int place = 0;
  for (int i = 0; i < n; ++i) {
    if (i == n - 1) *count = place;
    if (x[i] > 0.0f) y[place++] = x[i];
  }
}

extern "C" void compact(const float* x, float* y, int* count, int n) {
  compact_kernel<<<1, 1>>>(x, y, count, n);
}
