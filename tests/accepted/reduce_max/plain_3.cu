// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  float best = -INFINITY;
  for (int i = threadIdx.x; i < n; i += 32) best = x[i] > best ? x[i] : best;
  for (int offset = 16; offset > 0; offset /= 2) {
    best = fmaxf(best, __shfl_down_sync(~0u, best, offset));
  }
  if (threadIdx.x == 0) *max = best;
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  reduce_max_kernel<<<1, 32>>>(x, max, n);
}
