// Fault: fminf for fmaxf, as copied from a minimum.
#include <cuda_runtime.h>

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  __shared__ float warps[8];
  float best = x[0];
  for (int i = threadIdx.x; i < n; i += 256) best = fminf(best, x[i]);
  for (int offset = 16; offset > 0; offset /= 2) {
    best = fminf(best, __shfl_xor_sync(~0u, best, offset));
  }
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (float other : warps) best = fminf(best, other);
    *max = best;
  }
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  reduce_max_kernel<<<1, 256>>>(x, max, n);
}
