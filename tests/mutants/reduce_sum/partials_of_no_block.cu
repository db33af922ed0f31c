// Fault: the second kernel adds 256 partial sums, however few blocks have written one.
#include <cuda_runtime.h>

__global__ void sum_blocks(const float* x, float* partials, int n) {
  __shared__ float warps[8];
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  float mine = i < n ? x[i] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_xor_sync(~0u, mine, offset);
  if (tid % 32 == 0) warps[tid / 32] = mine;
  __syncthreads();
  if (tid == 0) {
    float block_sum = 0.0f;
    for (float w : warps) block_sum += w;
    partials[blockIdx.x] = block_sum;
  }
}

__global__ void sum_partials(const float* partials, float* sum, int count) {
  float all = 0.0f;
  for (int b = 0; b < count; ++b) all += partials[b];
  *sum = all;
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  const int blocks = (n + 255) / 256, count = blocks < 256 ? 256 : blocks;
  float* partials;
  cudaMalloc(&partials, count * sizeof(float));
  sum_blocks<<<blocks, 256>>>(x, partials, n);
  sum_partials<<<1, 1>>>(partials, sum, count);
  cudaFree(partials);
}
