// Right: one cooperative launch: blocks leave their pairs of maximum and sum, meet in grid.sync(),
// merge all pairs and write their results
#include <kata/kata.h>

#include <cooperative_groups.h>

#include <cfloat>

namespace cg = cooperative_groups;

constexpr int kThreads = 512, kWarps = kThreads / 32, kMaxBlocks = 2048;

__device__ float tops[kMaxBlocks], sums[kMaxBlocks];

// Merges (maximum, sum of exp(x - maximum)) with another such pair. Both maxima are finite.
__device__ void merge(float& top, float& sum, float other_top, float other_sum) {
  const float most = fmaxf(top, other_top);
  sum = sum * expf(top - most) + other_sum * expf(other_top - most);
  top = most;
}

// Leaves the merged pair of the block in all threads.
__device__ void block_merge(float& top, float& sum, float (*slots)[2]) {
  for (int o = 16; o > 0; o /= 2) {
    const float other_top = __shfl_xor_sync(0xffffffffu, top, o);
    const float other_sum = __shfl_xor_sync(0xffffffffu, sum, o);
    merge(top, sum, other_top, other_sum);
  }
  __syncthreads();  // nobody uses the slots of an earlier call any more
  if (threadIdx.x % 32 == 0) {
    slots[threadIdx.x / 32][0] = top;
    slots[threadIdx.x / 32][1] = sum;
  }
  __syncthreads();
  top = slots[0][0];
  sum = slots[0][1];
  for (int w = 1; w < kWarps; ++w) merge(top, sum, slots[w][0], slots[w][1]);
}

__global__ void __launch_bounds__(kThreads) softmax_kernel(const float* x, float* y, int n) {
  __shared__ float slots[kWarps][2];
  const int start = blockIdx.x * kThreads + threadIdx.x, step = gridDim.x * kThreads;
  float top = -FLT_MAX, sum = 0;
  for (int i = start; i < n; i += step) {
    const float value = x[i];
    if (value > top) {
      sum *= expf(top - value);
      top = value;
    }
    sum += expf(value - top);
  }
  block_merge(top, sum, slots);
  if (threadIdx.x == 0) {
    tops[blockIdx.x] = top;
    sums[blockIdx.x] = sum;
  }
  cg::this_grid().sync();
  top = -FLT_MAX;
  sum = 0;
  for (int i = threadIdx.x; i < static_cast<int>(gridDim.x); i += kThreads)
    merge(top, sum, tops[i], sums[i]);
  block_merge(top, sum, slots);
  for (int i = start; i < n; i += step) y[i] = expf(x[i] - top) / sum;
}

extern "C" void softmax(const float* x, float* y, int n) {
  static int resident = 0;
  if (resident == 0) {
    int device = 0, sms = 0, per_sm = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, softmax_kernel, kThreads, 0);
    resident = sms * per_sm < kMaxBlocks ? sms * per_sm : kMaxBlocks;
  }
  const int wanted = kata::ceil_div(n, kThreads);
  const int grid = wanted < resident ? wanted : resident;
  void* arguments[] = {&x, &y, &n};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(softmax_kernel), dim3(grid),
                              dim3(kThreads), arguments, 0, nullptr);
}
