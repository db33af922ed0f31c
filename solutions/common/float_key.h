#pragma once
// Floats as unsigned integers in the same order, so that they can be compared digit by digit.

#include <cuda_runtime.h>

// Positive floats get their sign bit set; negative floats have all bits flipped, because their
// magnitude grows downwards. No float but NaN has the key 0: it can stand for "nothing here".
__device__ inline unsigned key_of(float value) {
  const unsigned bits = __float_as_uint(value);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

__device__ inline float float_of(unsigned key) {
  return __uint_as_float(key >> 31 ? key & 0x7fffffffu : ~key);
}

constexpr unsigned NO_KEY = 0;
