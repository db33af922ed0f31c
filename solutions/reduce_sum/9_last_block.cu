// The last block to finish adds the partial sums: one launch, and the same bits in every run.
//
// Atomics add in the order in which blocks arrive, and the rounding follows. Here each block
// writes its sum to its own slot and then increments a counter. The block that counts last knows
// that all slots are written, because every block has a fence between write and count. atomicInc
// wraps to 0, ready for the next call, so no memset is needed. The counter allows one call at a
// time, as in one stream.
//
// Prediction: no gain in time. The memset took about 1 us, and so do the count, the partial sums
// and the second block sum. The result is reproducible.
// Measured: 237.4 us at 268435456, 98 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/aligned.h"
#include "../common/block_sum.h"
#include "../common/grid_size.h"

constexpr int THREADS = 512;
constexpr int BLOCKS_PER_SM = 4;  // 2048 threads, with 32 registers each
constexpr int UNROLL = 4;
constexpr int MAX_BLOCKS = 2048;

__device__ float partials[MAX_BLOCKS];  // one per block
__device__ unsigned int blocks_done;    // 0 between calls

// The sum of this thread's elements: float4 with UNROLL loads in flight, then the tail.
__device__ float thread_sum(const float* x, int n, int count4) {
  const float4* x4 = reinterpret_cast<const float4*>(x);
  const int tid = threadIdx.x;
  const int stride4 = gridDim.x * THREADS * UNROLL;
  float sums[UNROLL] = {};
  for (int first = blockIdx.x * THREADS * UNROLL + tid; first < count4; first += stride4) {
    float4 v[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
      const int i = first + k * THREADS;
      v[k] = i < count4 ? x4[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) sums[k] += (v[k].x + v[k].y) + (v[k].z + v[k].w);
  }

  const int stride = gridDim.x * THREADS;
  for (int i = 4 * count4 + blockIdx.x * THREADS + tid; i < n; i += stride) sums[0] += x[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    reduce_sum_kernel(const float* x, float* sum, int n, int count4) {
  __shared__ bool last;
  const int tid = threadIdx.x;
  const float partial = block_sum<THREADS>(thread_sum(x, n, count4));
  if (tid == 0) {
    partials[blockIdx.x] = partial;
    __threadfence();  // the partial is visible before the count
    last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;  // the whole block returns

  __threadfence();  // later reads see the partials that were written before the counts
  float value = 0.0f;
  for (int i = tid; i < static_cast<int>(gridDim.x); i += THREADS) value += partials[i];
  const float total = block_sum<THREADS>(value);
  if (tid == 0) *sum = total;
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  const int count4 = is_aligned16(x) ? n / 4 : 0;
  const int needed = kata::ceil_div(n, 4 * THREADS * UNROLL);
  const int wave = one_wave(needed, BLOCKS_PER_SM);
  const int grid = wave < MAX_BLOCKS ? wave : MAX_BLOCKS;
  reduce_sum_kernel<<<grid, THREADS>>>(x, sum, n, count4);
}
