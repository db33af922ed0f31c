// A cooperative grid: each block settles the next 64 boxes for itself, then tests its own boxes
// against those that stay. One grid barrier per 64 boxes, and no memory but keep.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
typedef unsigned long long u64;

__device__ bool overlap(float4 a, float4 b, float t) {
  const float w = fmaxf(0, fminf(a.z, b.z) - fmaxf(a.x, b.x));
  const float h = fmaxf(0, fminf(a.w, b.w) - fmaxf(a.y, b.y));
  return w * h > t * ((a.z - a.x) * (a.w - a.y) - w * h + (b.z - b.x) * (b.w - b.y));
}

__global__ void nms_kernel(const float4* boxes, volatile int* keep, int n, float threshold) {
  __shared__ float4 tile[64];
  __shared__ u64 row[64], alive, kept;
  const cg::grid_group grid = cg::this_grid();
  const int tid = threadIdx.x, step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + tid; i < n; i += step) keep[i] = 1;
  grid.sync();
  for (int first = 0; first < n; first += 64) {
    const int count = min(64, n - first);
    if (tid == 0) alive = 0;
    if (tid < 64) row[tid] = 0;
    if (tid < count) tile[tid] = boxes[first + tid];
    __syncthreads();
    if (tid < count && keep[first + tid]) atomicOr(&alive, 1ull << tid);
    for (int k = tid; k < count * count; k += blockDim.x) {
      const int a = k / count, b = k % count;
      if (b > a && overlap(tile[a], tile[b], threshold)) atomicOr(&row[a], 1ull << b);
    }
    __syncthreads();
    if (tid == 0) {
      u64 left = alive;
      for (int a = 0; a < count; ++a)
        if (left >> a & 1) left &= ~row[a];
      kept = left;
    }
    __syncthreads();
    for (int j = first + blockIdx.x * blockDim.x + tid; j < n; j += step) {
      bool stays = j < first + 64 ? kept >> (j - first) & 1 : keep[j] != 0;
      if (j >= first + 64 && stays) {
        for (u64 left = kept; left && stays; left &= left - 1)
          stays = !overlap(tile[__ffsll(left) - 1], boxes[j], threshold);
      }
      if (!stays && j >= first + 64) keep[j] = 0;
    }
    grid.sync();
    if (blockIdx.x == 0 && tid < count) keep[first + tid] = kept >> tid & 1;
    __syncthreads();
  }
}

extern "C" void nms(const float* boxes, int* keep, int n, float threshold) {
  int device = 0, sms = 1, each = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, nms_kernel, 128, 0);
  const int grid = min((n + 127) / 128, min(sms * each, 40));
  const float4* b = (const float4*)boxes;
  void* arguments[] = {&b, &keep, &n, &threshold};
  cudaLaunchCooperativeKernel((void*)nms_kernel, grid, 128, arguments, 0, 0);
}
