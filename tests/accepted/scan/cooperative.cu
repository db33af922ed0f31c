// One cooperative launch: the blocks' totals are joined after a grid barrier.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int blocks = 8, threads = 32;
__device__ float totals[blocks];

__device__ float warp_scan(float sum) {
  for (int d = 1; d < 32; d *= 2) {
    const float lower = __shfl_up_sync(~0u, sum, d);
    if (threadIdx.x >= d) sum += lower;
  }
  return sum;
}

__global__ void scan_kernel(const float* x, float* y, int n) {
  const int share = (n - 1) / blocks + 1;
  const int first = blockIdx.x * share;
  const int end = first + share < n ? first + share : n;
  float total = 0.0f;
  for (int i = first + threadIdx.x; i < end; i += threads) total += x[i];
  total = __shfl_sync(~0u, warp_scan(total), 31);
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
  cg::this_grid().sync();
  float carry = 0.0f;
  for (int b = 0; b < blockIdx.x; ++b) carry += totals[b];
  for (int start = first; start < end; start += threads) {
    const int i = start + threadIdx.x;
    const float sum = warp_scan(i < end ? x[i] : 0.0f);
    if (i < end) y[i] = carry + sum;
    carry += __shfl_sync(~0u, sum, 31);
  }
}

extern "C" void scan(const float* x, float* y, int n) {
  void* arguments[] = {&x, &y, &n};
  cudaLaunchCooperativeKernel((const void*)scan_kernel, dim3(blocks), dim3(threads), arguments);
}
