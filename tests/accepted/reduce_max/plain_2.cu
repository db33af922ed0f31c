// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void reduce_max_kernel(const float* x, float* max, int n, int stride) {
  __shared__ float warps[32];
  float best = -INFINITY;
  for (int i = threadIdx.x; i < n; i += 256) best = fmaxf(best, x[i]);
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < blockDim.x / 32; ++w) best = fmaxf(best, warps[w]);
  *max = best;
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  const int stride = n / 256 <= 1 ? n : 256;
  reduce_max_kernel<<<1, 256>>>(x, max, n, stride);
}
