// A single warp reads everything through the read-only cache.
#include <cuda_runtime.h>

__global__ void max_kernel(const float* __restrict__ x, float* out, int n) {
  float best = -INFINITY;
  for (int i = threadIdx.x; i < n; i += warpSize) best = fmaxf(best, __ldg(x + i));
  for (int step = 1; step < warpSize; step *= 2)
    best = fmaxf(best, __shfl_down_sync(~0u, best, step));
  if (threadIdx.x == 0) out[0] = best;
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  max_kernel<<<1, 32>>>(x, max, n);
}
