// Tensor cores multiply and add: 16 rows of weights times x, exact products, sums in float.
//
// mma_rows.h has the layout. It needs no conversions to float and no multiply-adds, so nearly all
// arithmetic is unpacking. The 8 warps of a block share the groups of its 16 rows, each with DEPTH
// groups in flight, and x lies in shared memory, CHUNK weights at a time.
//
// Prediction: 9 instructions to unpack a word, half a load and one mma: 1.8 per weight, 14 us of
// issue slots at 28672 x 8192, where memory needs 30 us. A block lives for 8 groups per warp, so
// its start and its end count: 40 us. At 4096 x 4096 one wave of blocks asks for all weights at
// once: 2.7 us of launch, 1 us of latency, 3 us of traffic, 1 us of arithmetic: 8 us.
// Measured: 56.8 us at 28672x8192, 53 % of the limit (H200, 2026-11-25)
#include <kata/kata.h>

#include "mma_rows.h"

constexpr int WARPS = 8;
constexpr int THREADS = 32 * WARPS;
constexpr int DEPTH = 4;
constexpr int CHUNK = 16384;
constexpr int CHUNK_STEPS = CHUNK / 128 / WARPS;

__global__ void __launch_bounds__(THREADS, 2)
    gemv_kernel(const uint4* W4, const __half* scale, const uint4* x8, __half* y, int M, int K) {
  __shared__ uint4 x_pairs[CHUNK / 8];
  __shared__ float partial[WARPS][ROWS];
  const int warp = threadIdx.x / 32;
  const int g = threadIdx.x % 32 / 4;
  const int groups = K / 128;
  const int steps = kata::ceil_div(groups, WARPS);
  const int first_row = blockIdx.x * ROWS;
  const size_t upper = min(first_row + g, M - 1);  // rows past the end repeat the last one
  const size_t lower = min(first_row + g + 8, M - 1);

  Group stages[DEPTH];
  const auto load = [&](int step, Group& stage) {
    const int group = warp + step * WARPS;
    if (group < groups) {
      stage = load_group(W4, scale, upper * groups + group, lower * groups + group);
    }
  };
#pragma unroll
  for (int d = 0; d < DEPTH; ++d) load(d, stages[d]);

  float upper_sum = 0.0f;
  float lower_sum = 0.0f;
  for (int first = 0; first < steps; first += DEPTH) {
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
      const int step = first + d;
      if (step >= steps) break;
      if (step % CHUNK_STEPS == 0) {
        __syncthreads();  // the chunk before is no longer needed
        const int begin = step * WARPS * WORDS_PER_GROUP;
        const int count = min(CHUNK / 8, K / 8 - begin);
        for (int i = threadIdx.x; i < count; i += THREADS) store_pairs(x_pairs, i, x8[begin + i]);
        __syncthreads();
      }
      const Group in = stages[d];
      load(step + DEPTH, stages[d]);
      const int group = warp + step * WARPS;
      const uint4* group_x = x_pairs + (warp + step % CHUNK_STEPS * WARPS) * WORDS_PER_GROUP;
      if (group < groups) add_group(in, group_x, upper_sum, lower_sum);
    }
  }
  if (threadIdx.x % 4 == 0) {
    partial[warp][g] = upper_sum;
    partial[warp][g + 8] = lower_sum;
  }
  __syncthreads();
  const int row = first_row + threadIdx.x;
  if (threadIdx.x < ROWS && row < M) {
    float sum = 0.0f;
    for (int w = 0; w < WARPS; ++w) sum += partial[w][threadIdx.x];
    y[row] = __float2half(sum);
  }
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  gemv_kernel<<<kata::ceil_div(M, ROWS), THREADS>>>(reinterpret_cast<const uint4*>(W), scale,
                                                    reinterpret_cast<const uint4*>(x), y, M, K);
}
