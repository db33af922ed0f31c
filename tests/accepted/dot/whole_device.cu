// As many blocks as the device holds at once, which meet in the middle of one cooperative launch.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int threads = 512, most_blocks = 1056;
__device__ float sums[most_blocks];

__device__ float block_sum(float sum) {
  __shared__ float of_warps[threads / 32];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = threadIdx.x < threads / 32 ? of_warps[threadIdx.x] : 0.0f;
  __syncthreads();
  if (threadIdx.x < 32)
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  return sum;
}

__global__ void dot_kernel(const float* a, const float* b, float* result, int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads)
    sum = fmaf(a[i], b[i], sum);
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  cg::this_grid().sync();
  if (blockIdx.x > 0) return;
  sum = 0.0f;
  for (int i = threadIdx.x; i < gridDim.x; i += threads) sum += sums[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *result = sum;
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  int device, processors, blocks_each;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, dot_kernel, threads, 0);
  int blocks = (n - 1) / threads + 1;
  if (blocks > processors * blocks_each) blocks = processors * blocks_each;
  if (blocks > most_blocks) blocks = most_blocks;
  void* arguments[] = {&a, &b, &result, &n};
  cudaLaunchCooperativeKernel(dot_kernel, dim3(blocks), dim3(threads), arguments, 0, nullptr);
}
