// One warp per row: the lanes read neighbouring words, and shuffles add up their sums.
//
// A request of 32 words covers 128 contiguous bytes, 256 weights: two groups, so lanes 0 to 15 and
// 16 to 31 need different scales. Each lane applies its scale to the sum of its eight products.
//
// Prediction: memory traffic is the least possible, 124 MB or 29 us at 28672 x 8192. The limit is
// L1: for each word a warp asks eight times for halves of x that are 16 bytes apart, four
// wavefronts each. 917504 words per lane-set x 36 cycles / 132 SMs at 1.75 GHz = 143 us.
// Measured: 129.7 us at 28672x8192, 23 % of the limit (H200, 2026-11-25)
#include <kata/kata.h>

#include "../common/block_sum.h"

#include <cuda_fp16.h>

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;
constexpr int WORDS_PER_GROUP = 16;

__global__ void gemv_kernel(const unsigned* W, const __half* scale, const __half* x, __half* y,
                            int M, int K) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * WARPS + threadIdx.x / 32;
  if (row >= M) return;  // the whole warp: no shuffle misses a lane
  const unsigned* row_words = W + static_cast<size_t>(row) * (K / 8);
  const __half* row_scales = scale + static_cast<size_t>(row) * (K / 128);
  float sum = 0.0f;
  for (int i = lane; i < K / 8; i += 32) {
    const unsigned word = row_words[i];
    float word_sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int q = static_cast<int>(word >> (4 * j) & 15) - 8;
      word_sum += q * __half2float(x[8 * i + j]);
    }
    sum += __half2float(row_scales[i / WORDS_PER_GROUP]) * word_sum;
  }
  sum = warp_sum(sum);
  if (lane == 0) y[row] = __float2half(sum);
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  gemv_kernel<<<kata::ceil_div(M, WARPS), THREADS>>>(W, scale, x, y, M, K);
}
