// Unpack by magic numbers: the bits of a weight become a half by OR, without a conversion.
//
// unpack.h turns a word into four pairs of halves with nine instructions, instead of about 32 for
// shifts, masks, conversions and subtractions. The products and sums stay in float: a sum of a few
// unscaled products with |x| in the thousands does not fit a half.
//
// Prediction: 9 instructions per word to unpack, 8 to convert the weights to float, 8 for x and 8
// multiply-adds: 4.2 per weight instead of 6, 34 us of issue slots at 28672 x 8192. Memory needs 30
// us at the same time: 40 us. Missed: L1 still needs 69 us for the loads of x.
// Measured: 70.0 us at 28672x8192, 43 % of the limit (H200, 2026-11-25)
#include <kata/kata.h>

#include "../common/block_sum.h"
#include "unpack.h"

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;
constexpr int VECTORS_PER_GROUP = 4;  // 4 words of 8 weights each

// The product of the eight weights of a word with eight halves.
__device__ float dot8(unsigned word, uint4 halves) {
  __half2 weights[4];
  unpack(word, weights);
  const float2 x01 = __half22float2(as_half2(halves.x));
  const float2 x23 = __half22float2(as_half2(halves.y));
  const float2 x45 = __half22float2(as_half2(halves.z));
  const float2 x67 = __half22float2(as_half2(halves.w));
  const float2 w04 = __half22float2(weights[0]);
  const float2 w15 = __half22float2(weights[1]);
  const float2 w26 = __half22float2(weights[2]);
  const float2 w37 = __half22float2(weights[3]);
  return w04.x * x01.x + w15.x * x01.y + w26.x * x23.x + w37.x * x23.y +  //
         w04.y * x45.x + w15.y * x45.y + w26.y * x67.x + w37.y * x67.y;
}

__global__ void gemv_kernel(const uint4* W4, const __half* scale, const uint4* x8, __half* y, int M,
                            int K) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * WARPS + threadIdx.x / 32;
  if (row >= M) return;  // the whole warp: no shuffle misses a lane
  const uint4* row_words = W4 + static_cast<size_t>(row) * (K / 32);
  const __half* row_scales = scale + static_cast<size_t>(row) * (K / 128);
  float sum = 0.0f;
  for (int i = lane; i < K / 32; i += 32) {
    const uint4 words = row_words[i];
    const float s = __half2float(row_scales[i / VECTORS_PER_GROUP]);
    sum += s * (dot8(words.x, x8[4 * i]) + dot8(words.y, x8[4 * i + 1]) +
                dot8(words.z, x8[4 * i + 2]) + dot8(words.w, x8[4 * i + 3]));
  }
  sum = warp_sum(sum);
  if (lane == 0) y[row] = __float2half(sum);
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  gemv_kernel<<<kata::ceil_div(M, WARPS), THREADS>>>(reinterpret_cast<const uint4*>(W), scale,
                                                     reinterpret_cast<const uint4*>(x), y, M, K);
}
