// The last block to finish adds the sums of the blocks: one launch instead of two.
//
// Each block stores its sum, and after a fence takes a ticket. The block that draws the last ticket
// knows that all sums are there, and adds them in a fixed order. atomicInc wraps to 0 with that
// ticket, ready for the next call. Calls must follow each other, as in one stream: two at once
// would share the tickets.
//
// Prediction: 1 us less than rung 6. The second launch is saved; the ticket, the fence and the
// second block sum remain: 121 us at 2^26, 7.5 us at 2^20.
// Measured: 121.9 us at 67108864, 97 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/block_sum.h"
#include "../common/grid_size.h"
#include "thread_dot.h"

constexpr int THREADS = 256;
constexpr int BLOCKS_PER_SM = 4;
constexpr int UNROLL = 4;         // float4 of each vector
constexpr int MAX_BLOCKS = 1024;  // more than any GPU runs at once with 4 per SM

__device__ float partials[MAX_BLOCKS];
__device__ unsigned tickets;  // 0 between two calls

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    dot_kernel(const float* a, const float* b, float* result, int n) {
  __shared__ bool is_last;
  const int tid = threadIdx.x;
  const float partial = block_sum<THREADS>(thread_dot<THREADS, UNROLL>(a, b, n));
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
