// A second kernel adds the sums of the blocks: no atomics, and the same bits in every run.
//
// Atomics add in the order in which blocks arrive, and the rounding follows. Here each block
// writes its sum to its own slot, and one more block adds the slots in a fixed order. The end of
// the first kernel is the barrier between them. The memset is no longer needed.
//
// Prediction: a launch that follows another takes about 2 us, in which one block starts and reads
// 2 KB from L2. The memset took about 1 us: 1 us slower than rung 8, at any size.
// Measured: 242.7 us at 268435456, 97 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/aligned.h"
#include "../common/block_sum.h"
#include "../common/grid_size.h"
#include "thread_sum.h"

constexpr int THREADS = 512;
constexpr int BLOCKS_PER_SM = 4;  // 2048 threads, with 32 registers each
constexpr int UNROLL = 4;
constexpr int MAX_BLOCKS = 2048;

__device__ float partials[MAX_BLOCKS];  // one per block

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    reduce_sum_kernel(const float* x, int n, int count4) {
  const float partial = block_sum<THREADS>(thread_sum<THREADS, UNROLL>(x, n, count4));
  if (threadIdx.x == 0) partials[blockIdx.x] = partial;
}

// One block.
__global__ void __launch_bounds__(THREADS) finish_kernel(float* sum, int blocks) {
  float value = 0.0f;
  for (int i = threadIdx.x; i < blocks; i += THREADS) value += partials[i];
  const float total = block_sum<THREADS>(value);
  if (threadIdx.x == 0) *sum = total;
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  const int count4 = is_aligned16(x) ? n / 4 : 0;
  const int needed = kata::ceil_div(n, 4 * THREADS * UNROLL);
  const int wave = one_wave(needed, BLOCKS_PER_SM);
  const int grid = wave < MAX_BLOCKS ? wave : MAX_BLOCKS;
  reduce_sum_kernel<<<grid, THREADS>>>(x, n, count4);
  finish_kernel<<<1, THREADS>>>(sum, grid);
}
