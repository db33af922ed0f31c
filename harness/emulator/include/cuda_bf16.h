#pragma once
#pragma GCC system_header
// __nv_bfloat16 and __nv_bfloat162 in software. Arithmetic goes through float and is rounded once,
// to nearest even.

#include "cuda_fp16.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device begin
#endif

namespace __kata {

static inline unsigned short bf16_from_float(float value) {
  const unsigned bits = __float_as_uint(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (unsigned short)0x7fff;  // NaN
  return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}
static inline float float_from_bf16(unsigned short bits) {
  return __uint_as_float((unsigned)bits << 16);
}

}  // namespace __kata

struct __nv_bfloat16_raw {
  unsigned short x;
};

struct __nv_bfloat16 {
  unsigned short __x;

  __nv_bfloat16() = default;
  __nv_bfloat16(__nv_bfloat16_raw raw) : __x(raw.x) {}
  __nv_bfloat16(float value) : __x(::__kata::bf16_from_float(value)) {}
  __nv_bfloat16(double value) : __nv_bfloat16((float)value) {}
  __nv_bfloat16(int value) : __nv_bfloat16((float)value) {}
  __nv_bfloat16(unsigned value) : __nv_bfloat16((float)value) {}
  __nv_bfloat16(long long value) : __nv_bfloat16((float)value) {}
  __nv_bfloat16(unsigned long long value) : __nv_bfloat16((float)value) {}
  __nv_bfloat16(short value) : __nv_bfloat16((float)value) {}
  __nv_bfloat16(unsigned short value) : __nv_bfloat16((float)value) {}
  explicit __nv_bfloat16(__half value) : __nv_bfloat16((float)value) {}
  operator float() const { return ::__kata::float_from_bf16(__x); }
  explicit operator bool() const { return (__x & 0x7fff) != 0; }
  explicit operator int() const { return __float2int_rz(*this); }
  explicit operator unsigned() const { return __float2uint_rz(*this); }
  __nv_bfloat16& operator+=(const __nv_bfloat16& b);
  __nv_bfloat16& operator-=(const __nv_bfloat16& b);
  __nv_bfloat16& operator*=(const __nv_bfloat16& b);
  __nv_bfloat16& operator/=(const __nv_bfloat16& b);
};

#define __KATA_T __nv_bfloat16
#define __KATA_T2 __nv_bfloat162
#define __KATA_INFINITY_BITS 0x7f80
#define __KATA_ATOMIC type_bf16
#define __KATA_ATOMIC2 type_bf16x2
#include "kata_emulator/half_functions.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// ---- conversions

__KATA_HALF __nv_bfloat16 __float2bfloat16(float x) {
  return __nv_bfloat16(x);
}
__KATA_HALF __nv_bfloat16 __float2bfloat16_rn(float x) {
  return __nv_bfloat16(x);
}
__KATA_HALF __nv_bfloat16 __double2bfloat16(double x) {
  return __nv_bfloat16(x);
}
__KATA_HALF __nv_bfloat16 __int2bfloat16_rn(int x) {
  return __nv_bfloat16(x);
}
__KATA_HALF float __bfloat162float(__nv_bfloat16 x) {
  return x;
}
__KATA_HALF int __bfloat162int_rn(__nv_bfloat16 x) {
  return __float2int_rn(x);
}
__KATA_HALF int __bfloat162int_rz(__nv_bfloat16 x) {
  return __float2int_rz(x);
}
__KATA_HALF short __bfloat16_as_short(__nv_bfloat16 x) {
  return (short)x.__x;
}
__KATA_HALF unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) {
  return x.__x;
}
__KATA_HALF __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) {
  return __nv_bfloat16(__nv_bfloat16_raw{x});
}
__KATA_HALF __nv_bfloat16 __short_as_bfloat16(short x) {
  return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)x});
}
__KATA_HALF __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return __nv_bfloat162(x, y);
}
__KATA_HALF __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return __nv_bfloat162(x, y);
}
__KATA_HALF __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) {
  return __nv_bfloat162(x, x);
}
__KATA_HALF __nv_bfloat162 __float2bfloat162_rn(float x) {
  return __nv_bfloat162(x, x);
}
__KATA_HALF __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return __nv_bfloat162(x, y);
}
__KATA_HALF __nv_bfloat162 __float22bfloat162_rn(float2 v) {
  return __nv_bfloat162(v.x, v.y);
}
__KATA_HALF float2 __bfloat1622float2(__nv_bfloat162 v) {
  return make_float2(v.x, v.y);
}
__KATA_HALF __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) {
  return v.x;
}
__KATA_HALF __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) {
  return v.y;
}
__KATA_HALF __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) {
  return __nv_bfloat162(v.x, v.x);
}
__KATA_HALF __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) {
  return __nv_bfloat162(v.y, v.y);
}

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif
