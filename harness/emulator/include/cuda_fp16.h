#pragma once
#pragma GCC system_header
// half and half2 in software. Arithmetic goes through float and is rounded to half once, which is
// what the device's instructions give for one operation (a product of two halves is exact in
// float, and so is the sum before its rounding, to within double rounding that cannot occur).

#include "cuda_runtime.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device begin
#endif

namespace __kata {

/// To nearest even, subnormals and infinities included.
static inline unsigned short half_from_float(float value) {
  const unsigned bits = __float_as_uint(value), sign = bits >> 16 & 0x8000u;
  const unsigned magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return (unsigned short)0x7fff;             // NaN
  if (magnitude >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u);  // 65520 and above
  if (magnitude < 0x38800000u) {  // below 2^-14: a multiple of 2^-24
    const float scaled = __uint_as_float(magnitude) * 16777216.0f;
    return (unsigned short)(sign | (unsigned)rintf(scaled));
  }
  const unsigned rounded = magnitude + 0xfffu + (magnitude >> 13 & 1);
  return (unsigned short)(sign | ((rounded - 0x38000000u) >> 13));
}

static inline float float_from_half(unsigned short half) {
  const unsigned sign = (unsigned)(half & 0x8000) << 16, magnitude = half & 0x7fffu;
  if (magnitude >= 0x7c00u) return __uint_as_float(sign | 0x7f800000u | (magnitude & 0x3ff) << 13);
  const float value = magnitude < 0x400u ? (float)magnitude / 16777216.0f
                                         : __uint_as_float((magnitude << 13) + 0x38000000u);
  return __uint_as_float(__float_as_uint(value) | sign);
}

}  // namespace __kata

struct __half_raw {
  unsigned short x;
};

struct __half {
  unsigned short __x;

  __half() = default;
  __half(__half_raw raw) : __x(raw.x) {}
  __half(float value) : __x(::__kata::half_from_float(value)) {}
  __half(double value) : __half((float)value) {}
  __half(int value) : __half((float)value) {}
  __half(unsigned value) : __half((float)value) {}
  __half(long long value) : __half((float)value) {}
  __half(unsigned long long value) : __half((float)value) {}
  __half(short value) : __half((float)value) {}
  __half(unsigned short value) : __half((float)value) {}
  operator float() const { return ::__kata::float_from_half(__x); }
  explicit operator bool() const { return (__x & 0x7fff) != 0; }
  explicit operator int() const { return __float2int_rz(*this); }
  explicit operator unsigned() const { return __float2uint_rz(*this); }
  __half& operator+=(const __half& b);
  __half& operator-=(const __half& b);
  __half& operator*=(const __half& b);
  __half& operator/=(const __half& b);
};

#define __KATA_HALF static __KATA_INLINE

#define __KATA_T __half
#define __KATA_T2 __half2
#define __KATA_INFINITY_BITS 0x7c00
#define __KATA_ATOMIC type_f16
#define __KATA_ATOMIC2 type_f16x2
#include "kata_emulator/half_functions.h"

typedef __half half;
typedef __half2 half2;

// ---- conversions

__KATA_HALF __half __float2half(float x) {
  return __half(x);
}
__KATA_HALF __half __float2half_rn(float x) {
  return __half(x);
}
__KATA_HALF __half __double2half(double x) {
  return __half(x);
}
__KATA_HALF float __half2float(__half x) {
  return x;
}
__KATA_HALF __half __int2half_rn(int x) {
  return __half(x);
}
__KATA_HALF __half __uint2half_rn(unsigned x) {
  return __half(x);
}
__KATA_HALF int __half2int_rn(__half x) {
  return __float2int_rn(x);
}
__KATA_HALF int __half2int_rz(__half x) {
  return __float2int_rz(x);
}
__KATA_HALF unsigned __half2uint_rn(__half x) {
  return __float2uint_rn(x);
}
__KATA_HALF short __half_as_short(__half x) {
  return (short)x.__x;
}
__KATA_HALF unsigned short __half_as_ushort(__half x) {
  return x.__x;
}
__KATA_HALF __half __ushort_as_half(unsigned short x) {
  return __half(__half_raw{x});
}
__KATA_HALF __half __short_as_half(short x) {
  return __half(__half_raw{(unsigned short)x});
}
__KATA_HALF __half2 make_half2(__half x, __half y) {
  return __half2(x, y);
}
__KATA_HALF __half2 __halves2half2(__half x, __half y) {
  return __half2(x, y);
}
__KATA_HALF __half2 __half2half2(__half x) {
  return __half2(x, x);
}
__KATA_HALF __half2 __float2half2_rn(float x) {
  return __half2(x, x);
}
__KATA_HALF __half2 __floats2half2_rn(float x, float y) {
  return __half2(x, y);
}
__KATA_HALF __half2 __float22half2_rn(float2 v) {
  return __half2(v.x, v.y);
}
__KATA_HALF float2 __half22float2(__half2 v) {
  return make_float2(v.x, v.y);
}
__KATA_HALF __half __low2half(__half2 v) {
  return v.x;
}
__KATA_HALF __half __high2half(__half2 v) {
  return v.y;
}
__KATA_HALF __half2 __low2half2(__half2 v) {
  return __half2(v.x, v.x);
}
__KATA_HALF __half2 __high2half2(__half2 v) {
  return __half2(v.y, v.y);
}
__KATA_HALF __half __float2half_rz(float x) {
  const __half nearest(x);  // one step towards zero if it lies beyond
  return fabsf(nearest) > fabsf(x) ? __ushort_as_half(nearest.__x - 1) : nearest;
}
__KATA_HALF __half __ushort2half_rn(unsigned short x) {
  return __half(x);
}
__KATA_HALF __half __short2half_rn(short x) {
  return __half(x);
}
__KATA_HALF int __half2int_ru(__half x) {
  return __float2int_ru(x);
}
__KATA_HALF int __half2int_rd(__half x) {
  return __float2int_rd(x);
}
__KATA_HALF __half2 __lows2half2(__half2 a, __half2 b) {
  return __half2(a.x, b.x);
}
__KATA_HALF __half2 __highs2half2(__half2 a, __half2 b) {
  return __half2(a.y, b.y);
}

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif
