// Wide loads, many in flight: each thread strides by float4, four at a time.
//
// The index is noted only where the value improves, and only for a whole float4: the loop does one
// comparison for four elements.
//
// Prediction: 64 bytes in flight in each of 2048 threads, 128 KB per SM where 23 KB are needed:
// memory is the limit, 62 us at 2^26. The second kernel adds 2 us: 64 us. At 2^20 it matters more:
// 7 us, limit 4.8.
// Measured: 71.4 us at 67108864, 88 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/grid_size.h"
#include "thread_best.h"

constexpr int THREADS = 512;
constexpr int BLOCKS_PER_SM = 4;
constexpr int UNROLL = 4;
constexpr int MAX_BLOCKS = 1024;

__device__ Best block_bests[MAX_BLOCKS];

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    best_of_each_block(const float* x, int n) {
  const Best best = block_best<THREADS>(thread_best<THREADS, UNROLL>(x, n));
  if (threadIdx.x == 0) block_bests[blockIdx.x] = best;
}

__global__ void best_of_all_blocks(int* index, int blocks) {
  const int tid = threadIdx.x;
  const Best best = block_best<MAX_BLOCKS>(tid < blocks ? block_bests[tid] : no_best());
  if (tid == 0) *index = best.index;
}

extern "C" void argmax(const float* x, int* index, int n) {
  const int needed = kata::ceil_div(n, 4 * THREADS * UNROLL);
  const int blocks = min(one_wave(needed, BLOCKS_PER_SM), MAX_BLOCKS);
  best_of_each_block<<<blocks, THREADS>>>(x, n);
  best_of_all_blocks<<<1, MAX_BLOCKS>>>(index, blocks);
}
