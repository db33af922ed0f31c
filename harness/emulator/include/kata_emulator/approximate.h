#pragma once
#pragma GCC system_header
// The device's approximate functions: errors of the size that NVIDIA documents, so that what is
// right only with exact functions is wrong here, too. Which error a result has depends on its bits
// alone.
//
// Bounds: CUDA C++ Programming Guide, "Mathematical Functions", and PTX ISA, "Floating-Point
// Instructions" (both CUDA 13.0). What the hardware computes exactly is exact: 2^n of whole n, the
// logarithm and the reciprocal of a power of two.

#include <math.h>
#include <stdint.h>
#include <string.h>

namespace __kata {

#define __KATA_APPROXIMATE static inline __attribute__((always_inline)) float

/// A number in [-1, 1) that a float's bits decide.
__KATA_APPROXIMATE noise(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = (bits ^ bits >> 15) * 0x9e3779b1u;
  return (float)(int32_t)(bits ^ bits >> 13) * 0x1p-31f;
}

static inline __attribute__((always_inline)) bool is_power_of_two(float x) {
  int exponent;
  return fabsf(frexpf(x, &exponent)) == 0.5f;
}

__KATA_APPROXIMATE with_relative_error(float value, float bound) {
  if (!(fabsf(value) < INFINITY)) return value;
  return (float)(value + (double)value * bound * noise(value));
}
__KATA_APPROXIMATE with_absolute_error(float value, float bound) {
  if (!(fabsf(value) < INFINITY)) return value;
  return (float)(value + (double)bound * noise(value));
}

__KATA_APPROXIMATE approximate_ex2(float x) {
  const float value = exp2f(x);
  return x == floorf(x) ? value : with_relative_error(value, 0x1p-22f);
}
__KATA_APPROXIMATE approximate_lg2(float x) {
  const float value = log2f(x);
  if (value == floorf(value)) return value;
  return x > 0.5f && x < 2 ? with_absolute_error(value, 0x1p-22f)
                           : with_relative_error(value, 0x1p-22f);
}
__KATA_APPROXIMATE approximate_rcp(float x) {
  return is_power_of_two(x) ? 1 / x : with_relative_error(1 / x, 0x1p-23f);
}
__KATA_APPROXIMATE approximate_sqrt(float x) {
  const float value = sqrtf(x);
  return value * value == x ? value : with_relative_error(value, 0x1p-23f);
}
__KATA_APPROXIMATE approximate_rsqrt(float x) {
  const float value = 1 / sqrtf(x);
  return is_power_of_two(value) ? value : with_relative_error(value, 0x1p-23f);
}
__KATA_APPROXIMATE approximate_sin(float x) {
  return x == 0 ? x : with_absolute_error(sinf(x), 0x1p-21f);
}
__KATA_APPROXIMATE approximate_cos(float x) {
  return x == 0 ? 1 : with_absolute_error(cosf(x), 0x1p-21f);
}
__KATA_APPROXIMATE approximate_tanh(float x) {
  return with_relative_error(tanhf(x), 0x1p-11f);
}
/// 0 for divisors above 2^126, whose reciprocals are subnormal; infinity by such a one is NaN.
__KATA_APPROXIMATE approximate_quotient(float a, float b) {
  if (fabsf(b) > 0x1p126f && fabsf(b) < INFINITY) return a * 0;
  return is_power_of_two(b) ? a / b : with_relative_error(a / b, 0x1p-23f);
}

#undef __KATA_APPROXIMATE

}  // namespace __kata
