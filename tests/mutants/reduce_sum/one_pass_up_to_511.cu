// Fault: a block of 256 takes one element per thread if n / 256 <= 1, which is true up to 511.
#include <cuda_runtime.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n, int stride) {
  __shared__ float warps[32];
  float mine = 0.0f;
  for (int i = threadIdx.x; i < n; i += stride) mine += x[i];
  for (int o = 16; o > 0; o /= 2) mine = mine + __shfl_xor_sync(~0u, mine, o);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < blockDim.x / 32; ++w) mine = mine + warps[w];
  *sum = mine;
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  const int stride = n / 256 <= 1 ? n : 256;
  reduce_sum_kernel<<<1, 256>>>(x, sum, n, stride);
}
