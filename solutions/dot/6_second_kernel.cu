// A second kernel adds the sums of the blocks: no atomics, and the same bits in every run.
//
// Atomics add in the order in which blocks arrive, and the rounding follows. Here each block writes
// its sum to its own slot, and one more block adds the slots in a fixed order. The end of the first
// kernel is the barrier between them. The memset is no longer needed.
//
// Prediction: a launch that follows another takes about 2 us, and the memset took about 1 us: 1 us
// slower than rung 5 at every size, 121.5 us at 2^26. Reproducible sums cost that much here.
// Measured: 123.2 us at 67108864, 96 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/block_sum.h"
#include "../common/grid_size.h"
#include "thread_dot.h"

constexpr int THREADS = 256;
constexpr int BLOCKS_PER_SM = 4;
constexpr int UNROLL = 4;         // float4 of each vector
constexpr int MAX_BLOCKS = 1024;  // more than any GPU runs at once with 4 per SM

__device__ float partials[MAX_BLOCKS];  // one per block

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    dot_kernel(const float* a, const float* b, int n) {
  const float partial = block_sum<THREADS>(thread_dot<THREADS, UNROLL>(a, b, n));
  if (threadIdx.x == 0) partials[blockIdx.x] = partial;
}

// One block.
__global__ void __launch_bounds__(THREADS) finish_kernel(float* result, int blocks) {
  float value = 0.0f;
  for (int i = threadIdx.x; i < blocks; i += THREADS) value += partials[i];
  const float total = block_sum<THREADS>(value);
  if (threadIdx.x == 0) *result = total;
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  const int needed = kata::ceil_div(n, 4 * THREADS * UNROLL);
  const int grid = min(one_wave(needed, BLOCKS_PER_SM), MAX_BLOCKS);
  dot_kernel<<<grid, THREADS>>>(a, b, n);
  finish_kernel<<<1, THREADS>>>(result, grid);
}
