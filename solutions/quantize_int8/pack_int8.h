#pragma once
// Four floats to four int8 without a conversion instruction.
//
// Floats from 2^23 to 2^24 have no fraction: their last bit is worth 1. Adding 1.5 * 2^23 therefore
// rounds to a whole number, ties to even, and leaves it in the low bits, negative numbers in two's
// complement. The low byte is the int8.

#include "../common/load4.h"

// The largest magnitude of four floats, as bits.
__device__ inline unsigned magnitude_bits(const Vec4& v) {
  unsigned bits = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) bits = max(bits, __float_as_uint(v.at[k]) & 0x7fffffffu);
  return bits;
}

// v * factor, rounded, the first in the lowest byte. All products must lie between -128 and 127.
__device__ inline unsigned pack_int8(const Vec4& v, float factor) {
  constexpr float ROUND = 12582912.0f;  // 1.5 * 2^23
  unsigned bits[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) bits[k] = __float_as_uint(fmaf(v.at[k], factor, ROUND));
  const unsigned low = __byte_perm(bits[0], bits[1], 0x0040);  // bytes 0 and 4: one of each
  const unsigned high = __byte_perm(bits[2], bits[3], 0x0040);
  return __byte_perm(low, high, 0x5410);
}
