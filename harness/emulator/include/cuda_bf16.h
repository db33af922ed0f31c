#pragma once
#pragma GCC system_header
// __nv_bfloat16 and __nv_bfloat162 in software. Arithmetic goes through float and is rounded once,
// to nearest even.

#include "kata_emulator/letters_begin.h"

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
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
  unsigned short x, y;
};

struct __nv_bfloat16 {
  unsigned short __x;

  __nv_bfloat16() = default;
  __nv_bfloat16(__nv_bfloat16_raw raw) : __x(raw.x) {}
  __nv_bfloat16(float value) : __x(::__kata::bf16_from_float(value)) {}
  __nv_bfloat16(double value) : __x(::__kata::Bf16::of(value, ::__kata::to_nearest_even)) {}
  __nv_bfloat16(int value) : __x(::__kata::Bf16::of((long long)value, ::__kata::to_nearest_even)) {}
  __nv_bfloat16(unsigned value)
      : __x(::__kata::Bf16::of((unsigned long long)value, ::__kata::to_nearest_even)) {}
  __nv_bfloat16(long long value) : __x(::__kata::Bf16::of(value, ::__kata::to_nearest_even)) {}
  __nv_bfloat16(unsigned long long value)
      : __x(::__kata::Bf16::of(value, ::__kata::to_nearest_even)) {}
  __nv_bfloat16(short value)
      : __x(::__kata::Bf16::of((long long)value, ::__kata::to_nearest_even)) {}
  __nv_bfloat16(unsigned short value)
      : __x(::__kata::Bf16::of((unsigned long long)value, ::__kata::to_nearest_even)) {}
  explicit __nv_bfloat16(__half value) : __nv_bfloat16((float)value) {}
  operator float() const { return ::__kata::float_from_bf16(__x); }
  operator __nv_bfloat16_raw() const { return {__x}; }
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
#define __KATA_RAW __nv_bfloat16_raw
#define __KATA_RAW2 __nv_bfloat162_raw
#define __KATA_FORMAT ::__kata::Bf16
#define __KATA_ATOMIC type_bf16
#define __KATA_ATOMIC2 type_bf16x2
#include "kata_emulator/half_functions.h"

#define __KATA_TYPE_NAME(before, after) __KATA_JOINED(before, bfloat16, after)
#define __KATA_PAIR_NAME(before, after) __KATA_JOINED(before, bfloat162, after)
#include "kata_emulator/half_conversions.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif

#include "kata_emulator/letters_end.h"
