// Fault: lanes past the end hold 0, which is more than any negative input.
#include <cuda_runtime.h>

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  float best = -INFINITY;
  for (int first = 0; first < n; first += 32) {
    const int i = first + threadIdx.x;
    best = fmaxf(best, i < n ? x[i] : 0.0f);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    best = fmaxf(best, __shfl_xor_sync(~0u, best, offset));
  }
  if (threadIdx.x == 0) *max = best;
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  reduce_max_kernel<<<1, 32>>>(x, max, n);
}
