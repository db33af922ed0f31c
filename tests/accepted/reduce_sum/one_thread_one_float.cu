// One thread, one float, from the end: the least exact way that is still right.
#include <cuda_runtime.h>

__global__ void sum_kernel(const float* x, float* out, int n) {
  float sum = 0.0f;
  while (n > 0) sum += x[--n];
  *out = sum;
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  sum_kernel<<<1, 1>>>(x, sum, n);
}
