// 128-bit loads: 32 weights and one scale per lane, and eight halves of x per load.
//
// Four words of a lane lie in one group, because 32 divides 128. A row has K / 2 bytes, so it
// begins at a multiple of 64 for every legal K. A warp takes 1024 weights per step; where
// K % 1024 != 0, some lanes have nothing to do in the last one.
// The rung to reach in 30 minutes.
//
// Prediction: 16 bytes of weights in flight per lane are 32 KB per SM, more than the 23 KB that
// memory needs. Unpacking is the limit now: shift, mask, two conversions, a subtraction and a
// multiply-add are 6 instructions per weight: 235M x 6 / 32 / (528 x 1.75 GHz) = 48 us. 55 us.
// Missed: x is the limit. Its loads have a stride of 64 bytes, 16 wavefronts each: 69 us in L1.
// Measured: 70.8 us at 28672x8192, 42 % of the limit (H200, 2026-11-25)
#include <kata/kata.h>

#include "../common/block_sum.h"

#include <cuda_fp16.h>

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;
constexpr int VECTORS_PER_GROUP = 4;  // 4 words of 8 weights each

// The product of the eight weights of a word with eight halves.
__device__ float dot8(unsigned word, uint4 halves) {
  const unsigned pairs[4] = {halves.x, halves.y, halves.z, halves.w};
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const __half2 pair = *reinterpret_cast<const __half2*>(&pairs[j]);
    const float2 v = __half22float2(pair);
    const int low = static_cast<int>(word >> (8 * j) & 15) - 8;
    const int high = static_cast<int>(word >> (8 * j + 4) & 15) - 8;
    sum += low * v.x + high * v.y;
  }
  return sum;
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
