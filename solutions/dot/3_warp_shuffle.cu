// Warp shuffles: lanes pass values between registers; one barrier instead of eight.
//
// Each warp sums its 32 products in five steps and leaves the sum in one shared slot; the first
// warp sums the slots. The full mask is right because no thread returned early.
// The rung to reach in 30 minutes, and say aloud that result must be zeroed.
//
// Prediction: the tree no longer waits at barriers, but there are as many atomics as before, one
// per block, and they are the limit: 0.46 ms at 2^26. A block of 1024 would have a quarter of them.
// Measured: 507.5 us at 67108864, 23 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/block_sum.h"

constexpr int THREADS = 256;

__global__ void dot_kernel(const float* a, const float* b, float* result, int n) {
  const unsigned i = blockIdx.x * THREADS + threadIdx.x;
  const float total = block_sum<THREADS>(i < n ? a[i] * b[i] : 0.0f);
  if (threadIdx.x == 0) atomicAdd(result, total);
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  cudaMemsetAsync(result, 0, sizeof(float));
  dot_kernel<<<kata::ceil_div(n, THREADS), THREADS>>>(a, b, result, n);
}
