// Fault: the running maximum is set only in the first call and keeps earlier results.
#include <cuda_runtime.h>

__device__ float best = -INFINITY;

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  float mine = threadIdx.x == 0 ? best : -INFINITY;
  for (int i = threadIdx.x; i < n; i += 32) mine = fmaxf(mine, x[i]);
  for (int offset = 16; offset > 0; offset /= 2) {
    mine = fmaxf(mine, __shfl_xor_sync(~0u, mine, offset));
  }
  if (threadIdx.x == 0) *max = best = mine;
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  reduce_max_kernel<<<1, 32>>>(x, max, n);
}
