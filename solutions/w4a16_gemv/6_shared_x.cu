// Four rows per warp: a lane converts its part of x once and uses it for all four.
//
// The conversions of x to float and the loads of x were a quarter of the instructions. Four rows
// also mean four independent 16-byte loads per lane, issued together. Rows past the end repeat the
// last one, and are not stored.
//
// Prediction: 9 + 8 + 8 + 2 instructions per word instead of 33: 3.4 per weight, 27 us of issue
// slots at 28672 x 8192, below the 30 us of memory. Both overlap: 36 us. At 4096 x 4096 there are
// only 1024 warps, 8 per SM, with 16 KB in flight: no gain there. Missed: a warp loads, waits and
// then computes, and few warps are at different stages.
// Measured: 52.2 us at 28672x8192, 57 % of the limit (H200, 2026-11-25)
#include <kata/kata.h>

#include "../common/block_sum.h"
#include "unpack.h"

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;
constexpr int ROWS = 4;               // per warp
constexpr int VECTORS_PER_GROUP = 4;  // 4 words of 8 weights each

// x[j] of the pairs (0, 4), (1, 5), (2, 6), (3, 7), as unpack() orders the weights.
__device__ void pairs_of(uint4 halves, float2 (&x)[4]) {
  const float2 x01 = __half22float2(as_half2(halves.x));
  const float2 x23 = __half22float2(as_half2(halves.y));
  const float2 x45 = __half22float2(as_half2(halves.z));
  const float2 x67 = __half22float2(as_half2(halves.w));
  x[0] = make_float2(x01.x, x45.x);
  x[1] = make_float2(x01.y, x45.y);
  x[2] = make_float2(x23.x, x67.x);
  x[3] = make_float2(x23.y, x67.y);
}

__global__ void gemv_kernel(const uint4* W4, const __half* scale, const uint4* x8, __half* y, int M,
                            int K) {
  const int lane = threadIdx.x % 32;
  const int first_row = (blockIdx.x * WARPS + threadIdx.x / 32) * ROWS;
  if (first_row >= M) return;  // the whole warp: no shuffle misses a lane
  float sums[ROWS] = {};
  for (int i = lane; i < K / 32; i += 32) {
    unsigned words[ROWS][4];
    float group_sums[ROWS] = {};
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const size_t row = min(first_row + r, M - 1);
      const uint4 v = W4[row * (K / 32) + i];
      words[r][0] = v.x, words[r][1] = v.y, words[r][2] = v.z, words[r][3] = v.w;
    }
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      float2 x[4];
      pairs_of(x8[4 * i + part], x);
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        __half2 weights[4];
        unpack(words[r][part], weights);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const float2 w = __half22float2(weights[j]);
          group_sums[r] += w.x * x[j].x + w.y * x[j].y;
        }
      }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const size_t row = min(first_row + r, M - 1);
      sums[r] += __half2float(scale[row * (K / 128) + i / VECTORS_PER_GROUP]) * group_sums[r];
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const float sum = warp_sum(sums[r]);
    if (lane == 0 && first_row + r < M) y[first_row + r] = __float2half(sum);
  }
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  const int grid = kata::ceil_div(M, WARPS * ROWS);
  gemv_kernel<<<grid, THREADS>>>(reinterpret_cast<const uint4*>(W), scale,
                                 reinterpret_cast<const uint4*>(x), y, M, K);
}
