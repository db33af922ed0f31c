#pragma once
// Eight 4-bit weights to four pairs of halves in nine instructions, without a conversion.
//
// 0x6400 is the half 1024, whose last bit is worth 1: OR-ing q into its low bits makes 1024 + q.
// One mask takes two weights, 16 bits apart, so the pairs are (0, 4), (1, 5), (2, 6), (3, 7). Of
// each byte the upper weight stays in place: 1024 + 16 q, times 1/16, minus 72, is q - 8. All of
// these numbers are exact in half.

#include <cuda_fp16.h>

__device__ inline __half2 as_half2(unsigned bits) {
  return *reinterpret_cast<const __half2*>(&bits);
}

// pairs[j] = (weight j, weight j + 4)
__device__ inline void unpack(unsigned word, __half2 (&pairs)[4]) {
  constexpr unsigned MAGIC = 0x64006400;  // 1024, 1024
  const __half2 minus_1032 = __float2half2_rn(-1032.0f);
  const __half2 sixteenth = __float2half2_rn(0.0625f);
  const __half2 minus_72 = __float2half2_rn(-72.0f);
  const unsigned next = word >> 8;
  pairs[0] = __hadd2(as_half2((word & 0x000f000f) | MAGIC), minus_1032);
  pairs[1] = __hfma2(as_half2((word & 0x00f000f0) | MAGIC), sixteenth, minus_72);
  pairs[2] = __hadd2(as_half2((next & 0x000f000f) | MAGIC), minus_1032);
  pairs[3] = __hfma2(as_half2((next & 0x00f000f0) | MAGIC), sixteenth, minus_72);
}
