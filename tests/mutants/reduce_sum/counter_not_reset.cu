// Fault: the last block finds itself by a counter that is never reset: right at the first call.
#include <cuda_runtime.h>

__device__ float partials[4096];
__device__ unsigned blocks_done;

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  __shared__ float warps[8];
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  float mine = i < n ? x[i] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(~0u, mine, offset);
  if (tid % 32 == 0) warps[tid / 32] = mine;
  __syncthreads();
  if (tid != 0) return;
  float block_sum = 0.0f;
  for (int w = 0; w < 8; ++w) block_sum += warps[w];
  partials[blockIdx.x] = block_sum;
  __threadfence();
  if (atomicAdd(&blocks_done, 1) != gridDim.x - 1) return;
  float all = 0.0f;
  for (int b = 0; b < gridDim.x; ++b) all += ((volatile float*)partials)[b];
  *sum = all;
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  reduce_sum_kernel<<<(n + 255) / 256, 256>>>(x, sum, n);
}
