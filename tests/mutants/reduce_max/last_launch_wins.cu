// Fault: a launch for every 65536 elements, each of which overwrites the maximum of the one before.
#include <cuda_runtime.h>

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  __shared__ float warps[8];
  float best = -INFINITY;
  for (int i = threadIdx.x; i < n; i += 256) best = fmaxf(best, x[i]);
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (float other : warps) best = fmaxf(best, other);
  *max = best;
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  for (int first = 0; first < n; first += 65536) {
    reduce_max_kernel<<<1, 256>>>(x + first, max, min(n - first, 65536));
  }
}
