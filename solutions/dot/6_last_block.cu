// The last block to finish adds up the partial sums: one launch, and the same bits at every run.
//
// Each block stores its partial sum, and after a fence takes a ticket. The block that draws the
// last ticket knows that all partials are there, and adds them in a fixed order. atomicInc wraps to
// 0 with that ticket, ready for the next call. Nothing is zeroed, so the memset goes.
// Calls must follow each other, as in one stream: two at once would share the tickets.
//
// Prediction: 2 us less for the memset, 1 us more for the ticket and the second sum: 1 us less than
// the rung before at every size, 121 us at 2^26, 7.5 us at 2^20.
// Measured: 121.7 us at 67108864, 97 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/block_sum.h"
#include "../common/grid_size.h"

constexpr int THREADS = 256;
constexpr int BLOCKS_PER_SM = 4;
constexpr int UNROLL = 4;         // float4 of each vector
constexpr int MAX_BLOCKS = 1024;  // more than any GPU runs at once with 4 per SM

__device__ float partials[MAX_BLOCKS];
__device__ unsigned tickets;  // 0 between two calls

__device__ float dot4(float4 u, float4 v) {
  return (u.x * v.x + u.y * v.y) + (u.z * v.z + u.w * v.w);
}

// What this thread adds up. All loads of a round are issued before the first product.
__device__ float thread_dot(const float* a, const float* b, int n) {
  const float4* a4 = reinterpret_cast<const float4*>(a);
  const float4* b4 = reinterpret_cast<const float4*>(b);
  const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const int count4 = n / 4;
  const int stride4 = gridDim.x * THREADS * UNROLL;
  float sums[UNROLL] = {};
  for (int first = blockIdx.x * THREADS * UNROLL + threadIdx.x; first < count4; first += stride4) {
    float4 u[UNROLL], v[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
      const int i = first + k * THREADS;
      u[k] = i < count4 ? a4[i] : zero;
      v[k] = i < count4 ? b4[i] : zero;
    }
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) sums[k] += dot4(u[k], v[k]);
  }

  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n % 4) sums[0] += a[4 * count4 + i] * b[4 * count4 + i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    dot_kernel(const float* a, const float* b, float* result, int n) {
  __shared__ bool is_last;
  const int tid = threadIdx.x;
  const float partial = block_sum<THREADS>(thread_dot(a, b, n));
  if (tid == 0) {
    partials[blockIdx.x] = partial;
    __threadfence();  // the partial is visible before the ticket is drawn
    is_last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;  // the whole block

  __threadfence();  // no partial is read before the ticket was drawn
  float value = 0.0f;
  for (int i = tid; i < static_cast<int>(gridDim.x); i += THREADS) value += partials[i];
  const float total = block_sum<THREADS>(value);
  if (tid == 0) *result = total;
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  const int needed = kata::ceil_div(n, 4 * THREADS * UNROLL);
  const int grid = min(one_wave(needed, BLOCKS_PER_SM), MAX_BLOCKS);
  dot_kernel<<<grid, THREADS>>>(a, b, result, n);
}
