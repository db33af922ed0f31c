// Persistent blocks: the loads of the next 16 rows start while the current ones are computed.
//
// The grid is one wave. A block takes every gridDim.x-th tile of 16 rows, and its steps form one
// sequence over all tiles, with loads DEPTH steps ahead. So no block waits at the end of a tile,
// and x is stored in shared memory once per block instead of once per tile (if it is one chunk).
//
// Prediction: the arithmetic of the rung before at 28672 x 8192, but 64 KB in flight per SM at all
// times, where memory needs 23 KB. 1792 tiles over 264 blocks are 6.8 rounds, 7 for the slowest:
// 33 us. At 4096 x 4096 each block has one tile, and nothing changes.
// Measured: 49.9 us at 28672x8192, 60 % of the limit (H200, 2026-11-25)
#include <kata/kata.h>

#include "../common/grid_size.h"
#include "mma_rows.h"

constexpr int WARPS = 8;
constexpr int THREADS = 32 * WARPS;
constexpr int BLOCKS_PER_SM = 2;
constexpr int DEPTH = 4;
constexpr int CHUNK = 16384;
constexpr int CHUNK_STEPS = CHUNK / 128 / WARPS;

// Adds up the partial sums of the warps and stores 16 results. Every thread of the block calls it.
// `partial` may be written again two calls later.
__device__ void store_tile(float (*partial)[ROWS], float upper_sum, float lower_sum, __half* y,
                           int first_row, int M) {
  if (threadIdx.x % 4 == 0) {
    const int g = threadIdx.x % 32 / 4;
    partial[threadIdx.x / 32][g] = upper_sum;
    partial[threadIdx.x / 32][g + 8] = lower_sum;
  }
  __syncthreads();
  const int row = first_row + threadIdx.x;
  if (threadIdx.x >= ROWS || row >= M) return;
  float sum = 0.0f;
  for (int w = 0; w < WARPS; ++w) sum += partial[w][threadIdx.x];
  y[row] = __float2half(sum);
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    gemv_kernel(const uint4* W4, const __half* scale, const uint4* x8, __half* y, int M, int K) {
  __shared__ uint4 x_pairs[CHUNK / 8];
  __shared__ float partial[2][WARPS][ROWS];
  const int warp = threadIdx.x / 32;
  const int g = threadIdx.x % 32 / 4;
  const int groups = K / 128;
  const int steps = kata::ceil_div(groups, WARPS);  // per tile
  const int tiles = kata::ceil_div(M, ROWS);

  Group stages[DEPTH];
  int load_tile = blockIdx.x;
  int load_step = 0;
  const auto load_next = [&](Group& stage) {
    const int group = warp + load_step * WARPS;
    if (load_tile < tiles && group < groups) {
      const size_t upper = min(load_tile * ROWS + g, M - 1);  // past the end: the last row again
      const size_t lower = min(load_tile * ROWS + g + 8, M - 1);
      stage = load_group(W4, scale, upper * groups + group, lower * groups + group);
    }
    if (++load_step < steps) return;
    load_step = 0;
    load_tile += gridDim.x;
  };
#pragma unroll
  for (int d = 0; d < DEPTH; ++d) load_next(stages[d]);

  float upper_sum = 0.0f;
  float lower_sum = 0.0f;
  int tile = blockIdx.x;
  int step = 0;
  for (int parity = 0;;) {
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
      if (tile >= tiles) return;
      if (step % CHUNK_STEPS == 0 && (tile == blockIdx.x || K > CHUNK)) {
        __syncthreads();  // the chunk before is no longer needed
        const int begin = step * WARPS * WORDS_PER_GROUP;
        const int count = min(CHUNK / 8, K / 8 - begin);
        for (int i = threadIdx.x; i < count; i += THREADS) store_pairs(x_pairs, i, x8[begin + i]);
        __syncthreads();
      }
      const Group in = stages[d];
      load_next(stages[d]);
      const uint4* group_x = x_pairs + (warp + step % CHUNK_STEPS * WARPS) * WORDS_PER_GROUP;
      if (warp + step * WARPS < groups) add_group(in, group_x, upper_sum, lower_sum);
      if (++step < steps) continue;
      store_tile(partial[parity], upper_sum, lower_sum, y, tile * ROWS, M);
      upper_sum = lower_sum = 0.0f;
      parity ^= 1;
      step = 0;
      tile += gridDim.x;
    }
  }
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  const int grid = one_wave(kata::ceil_div(M, ROWS), BLOCKS_PER_SM);
  gemv_kernel<<<grid, THREADS>>>(reinterpret_cast<const uint4*>(W), scale,
                                 reinterpret_cast<const uint4*>(x), y, M, K);
}
