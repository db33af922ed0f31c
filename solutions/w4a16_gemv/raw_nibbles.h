#pragma once
// Products of 4-bit weights with x on tensor cores, without a conversion of the weights.
//
// The half with the bits 0x000q is q * 2^-24: halves below 2^-14 (subnormal) are exact multiples of
// 2^-24, and tensor cores multiply them exactly. One mask takes two weights, 16 bits apart, as in
// unpack.h. The mask 0x00f000f0 takes 16 q * 2^-24. So the weights at even places and those at odd
// places have sums of their own, the latter 16 times too large. The 8 that belongs to each weight
// comes off once per group: 8 * 2^-24 times the sum of its x. Results are too small by UNIT.

#include "own_x.h"

constexpr float UNIT = 1.0f / (1 << 24);

// Products of four words in two rows with the lane's x. Word by word, the mask leaves the pairs
// (0, 4) and (1, 5), and after a shift (2, 6) and (3, 7).
__device__ inline void add_raw(const unsigned (&upper)[4], const unsigned (&lower)[4],
                               const uint4 (&x)[4], float (&even)[4], float (&odd)[4]) {
  constexpr unsigned EVEN = 0x000f000f;
  constexpr unsigned ODD = 0x00f000f0;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const unsigned u[] = {upper[j], upper[j] >> 8};
    const unsigned l[] = {lower[j], lower[j] >> 8};
    multiply_add(even,
                 {as_half2(u[0] & EVEN), as_half2(l[0] & EVEN), as_half2(u[1] & EVEN),
                  as_half2(l[1] & EVEN)},
                 x[j].x, x[j].z);
    multiply_add(
        odd,
        {as_half2(u[0] & ODD), as_half2(l[0] & ODD), as_half2(u[1] & ODD), as_half2(l[1] & ODD)},
        x[j].y, x[j].w);
  }
}

// What the lane's group adds to row `lower ? g + 8 : g`, before scaling (see own_x.h).
__device__ inline float group_product(const float (&even)[4], const float (&odd)[4], bool lower) {
  const bool second = threadIdx.x / 4 % 2 != 0;
  const int i = lower ? 2 : 0;
  return second ? even[i + 1] + odd[i + 1] / 16 : even[i] + odd[i] / 16;
}

// 8 UNIT times the sum of x over the lane's group, which four lanes hold.
__device__ inline float group_offset(const uint4 (&x)[4]) {
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const unsigned pairs[] = {x[j].x, x[j].y, x[j].z, x[j].w};
    for (const unsigned pair : pairs) {
      const float2 values = __half22float2(as_half2(pair));
      sum += values.x + values.y;
    }
  }
  sum += __shfl_xor_sync(0xffffffffu, sum, 1);
  sum += __shfl_xor_sync(0xffffffffu, sum, 2);
  return 8 * UNIT * sum;
}
