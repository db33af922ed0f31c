#pragma once
#pragma GCC system_header
// half and half2 in software. Arithmetic goes through float and is rounded to half once, which is
// what the device's instructions give for one operation (a product of two halves is exact in
// float, and so is the sum before its rounding, to within double rounding that cannot occur).

#include "kata_emulator/letters_begin.h"

#include "cuda_runtime.h"
#include "kata_emulator/half_rounding.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device begin
#endif

namespace __kata {

/// Of a magnitude below 2^-14 or above 65504.
__KATA_CALLED static inline unsigned short extreme_half(unsigned sign, unsigned magnitude) {
  if (magnitude > 0x7f800000u) return (unsigned short)0x7fff;             // NaN
  if (magnitude >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u);  // 65520 and above
  const float scaled = __uint_as_float(magnitude) * 16777216.0f;          // a multiple of 2^-24
  return (unsigned short)(sign | (unsigned)rintf(scaled));
}
/// To nearest even, subnormals and infinities included.
static inline unsigned short half_from_float(float value) {
  const unsigned bits = __float_as_uint(value), sign = bits >> 16 & 0x8000u;
  const unsigned magnitude = bits & 0x7fffffffu;
  if (magnitude - 0x38800000u >= 0x477ff000u - 0x38800000u) return extreme_half(sign, magnitude);
  const unsigned rounded = magnitude + 0xfffu + (magnitude >> 13 & 1);
  return (unsigned short)(sign | ((rounded - 0x38000000u) >> 13));
}

__KATA_CALLED static inline float float_from_extreme_half(unsigned sign, unsigned magnitude) {
  if (magnitude > 0x7c00u) return __uint_as_float(0x7fffffffu);  // NaN
  if (magnitude == 0x7c00u) return __uint_as_float(sign | 0x7f800000u);
  return __uint_as_float(__float_as_uint((float)magnitude / 16777216.0f) | sign);
}
static inline float float_from_half(unsigned short half) {
  const unsigned sign = (unsigned)(half & 0x8000) << 16, magnitude = half & 0x7fffu;
  if (magnitude - 0x400u >= 0x7800u) return float_from_extreme_half(sign, magnitude);
  return __uint_as_float(((magnitude << 13) + 0x38000000u) | sign);
}

}  // namespace __kata

struct __half_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw {
  unsigned short x, y;
};

struct __half {
  unsigned short __x;

  __half() = default;
  __half(__half_raw raw) : __x(raw.x) {}
  __half(float value) : __x(::__kata::half_from_float(value)) {}
  __half(double value) : __x(::__kata::F16::of(value, ::__kata::to_nearest_even)) {}
  __half(int value) : __half((float)value) {}  // once rounded: what float rounds is infinity
  __half(unsigned value) : __half((float)value) {}
  __half(long long value) : __half((float)value) {}
  __half(unsigned long long value) : __half((float)value) {}
  __half(short value) : __half((float)value) {}
  __half(unsigned short value) : __half((float)value) {}
  operator float() const { return ::__kata::float_from_half(__x); }
  operator __half_raw() const { return {__x}; }
  explicit operator bool() const { return (__x & 0x7fff) != 0; }
  explicit operator int() const { return __float2int_rz(*this); }
  explicit operator unsigned() const { return __float2uint_rz(*this); }
  __half& operator+=(const __half& b);
  __half& operator-=(const __half& b);
  __half& operator*=(const __half& b);
  __half& operator/=(const __half& b);
};

#define __KATA_HALF static __KATA_INLINE
#define __KATA_JOINED(a, b, c) __KATA_JOINED_(a, b, c)
#define __KATA_JOINED_(a, b, c) a##b##c

#define __KATA_T __half
#define __KATA_T2 __half2
#define __KATA_RAW __half_raw
#define __KATA_RAW2 __half2_raw
#define __KATA_FORMAT ::__kata::F16
#define __KATA_ATOMIC type_f16
#define __KATA_ATOMIC2 type_f16x2
#include "kata_emulator/half_functions.h"

#define __KATA_TYPE_NAME(before, after) __KATA_JOINED(before, half, after)
#define __KATA_PAIR_NAME(before, after) __KATA_JOINED(before, half2, after)
#include "kata_emulator/half_conversions.h"

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif

#include "kata_emulator/letters_end.h"
