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

struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;

  __nv_bfloat162() = default;
  __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
  __attribute__((always_inline)) __nv_bfloat162(const __nv_bfloat162& other) {
    __whole(other.__whole());
  }
  __attribute__((always_inline)) __nv_bfloat162& operator=(const __nv_bfloat162& other) {
    __whole(other.__whole());
    return *this;
  }

  // Both at once: a copy is one access of 4 bytes.
  typedef unsigned __attribute__((may_alias)) Both;
  __KATA_INLINE unsigned __whole() const { return ::__kata::Whole<4>::copy(*(const Both*)this); }
  __KATA_INLINE void __whole(unsigned bits) { *(Both*)this = bits; }

  __KATA_TO_PLAIN(::__kata::Plain2<__nv_bfloat162, __nv_bfloat16>)
};

namespace __kata {
template <>
struct InUnionOf<__nv_bfloat162> {
  typedef Plain2<__nv_bfloat162, __nv_bfloat16> type;
};
}  // namespace __kata

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
__KATA_HALF float __low2float(__nv_bfloat162 v) {
  return v.x;
}
__KATA_HALF float __high2float(__nv_bfloat162 v) {
  return v.y;
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
__KATA_HALF __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) {
  return __nv_bfloat162(v.y, v.x);
}

// ---- arithmetic and comparison, one by one and in pairs

#define __KATA_BF16_BINARY(name, name2, op)                                                  \
  __KATA_HALF __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) {                         \
    return __nv_bfloat16((float)a op(float) b);                                              \
  }                                                                                          \
  __KATA_HALF __nv_bfloat162 name2(__nv_bfloat162 a, __nv_bfloat162 b) {                     \
    return __nv_bfloat162(name(a.x, b.x), name(a.y, b.y));                                   \
  }                                                                                          \
  __KATA_HALF __nv_bfloat16 operator op(const __nv_bfloat16& a, const __nv_bfloat16& b) {    \
    return name(a, b);                                                                       \
  }                                                                                          \
  __KATA_HALF __nv_bfloat162 operator op(const __nv_bfloat162& a, const __nv_bfloat162& b) { \
    return name2(a, b);                                                                      \
  }                                                                                          \
  inline __nv_bfloat16& __nv_bfloat16::operator op##=(const __nv_bfloat16& b) {              \
    return *this = name(*this, b);                                                           \
  }                                                                                          \
  __KATA_HALF __nv_bfloat162& operator op##=(__nv_bfloat162& a, const __nv_bfloat162& b) {   \
    return a = name2(a, b);                                                                  \
  }
__KATA_BF16_BINARY(__hadd, __hadd2, +)
__KATA_BF16_BINARY(__hsub, __hsub2, -)
__KATA_BF16_BINARY(__hmul, __hmul2, *)
__KATA_BF16_BINARY(__hdiv, __h2div, /)

#define __KATA_BF16_COMPARE(name, op)                                            \
  __KATA_HALF bool name(__nv_bfloat16 a, __nv_bfloat16 b) {                      \
    return (float)a op(float) b;                                                 \
  }                                                                              \
  __KATA_HALF bool operator op(const __nv_bfloat16& a, const __nv_bfloat16& b) { \
    return name(a, b);                                                           \
  }
__KATA_BF16_COMPARE(__heq, ==)
__KATA_BF16_COMPARE(__hne, !=)
__KATA_BF16_COMPARE(__hlt, <)
__KATA_BF16_COMPARE(__hle, <=)
__KATA_BF16_COMPARE(__hgt, >)
__KATA_BF16_COMPARE(__hge, >=)

__KATA_HALF __nv_bfloat16 __hneg(__nv_bfloat16 a) {
  return __ushort_as_bfloat16(a.__x ^ 0x8000);
}
__KATA_HALF __nv_bfloat16 __habs(__nv_bfloat16 a) {
  return __ushort_as_bfloat16(a.__x & 0x7fff);
}
__KATA_HALF __nv_bfloat16 operator-(const __nv_bfloat16& a) {
  return __hneg(a);
}
__KATA_HALF __nv_bfloat162 __hneg2(__nv_bfloat162 a) {
  return __nv_bfloat162(__hneg(a.x), __hneg(a.y));
}
__KATA_HALF __nv_bfloat162 operator-(const __nv_bfloat162& a) {
  return __hneg2(a);
}
__KATA_HALF __nv_bfloat162 __habs2(__nv_bfloat162 a) {
  return __nv_bfloat162(__habs(a.x), __habs(a.y));
}
// The exact product and sum in double, then one rounding.
__KATA_HALF __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __nv_bfloat16(fma((double)(float)a, (double)(float)b, (double)(float)c));
}
__KATA_HALF __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
__KATA_HALF bool __hisnan(__nv_bfloat16 a) {
  return (a.__x & 0x7fff) > 0x7f80;
}
__KATA_HALF int __hisinf(__nv_bfloat16 a) {
  return a.__x == 0x7f80 ? 1 : a.__x == 0xff80 ? -1 : 0;
}
__KATA_HALF __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(fmaxf(a, b));
}
__KATA_HALF __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(fminf(a, b));
}
__KATA_HALF __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
__KATA_HALF __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y));
}

#define __KATA_BF16_FUNCTION(name, function)              \
  __KATA_HALF __nv_bfloat16 h##name(__nv_bfloat16 a) {    \
    return __nv_bfloat16(function((float)a));             \
  }                                                       \
  __KATA_HALF __nv_bfloat162 h2##name(__nv_bfloat162 a) { \
    return __nv_bfloat162(h##name(a.x), h##name(a.y));    \
  }
__KATA_BF16_FUNCTION(exp, expf)
__KATA_BF16_FUNCTION(exp2, exp2f)
__KATA_BF16_FUNCTION(log, logf)
__KATA_BF16_FUNCTION(log2, log2f)
__KATA_BF16_FUNCTION(sqrt, sqrtf)
__KATA_BF16_FUNCTION(rsqrt, rsqrtf)
__KATA_BF16_FUNCTION(rcp, 1.0f /)
__KATA_BF16_FUNCTION(sin, sinf)
__KATA_BF16_FUNCTION(cos, cosf)
__KATA_BF16_FUNCTION(floor, floorf)
__KATA_BF16_FUNCTION(ceil, ceilf)
__KATA_BF16_FUNCTION(trunc, truncf)
__KATA_BF16_FUNCTION(rint, rintf)
__KATA_BF16_FUNCTION(tanh, tanhf)

// ---- shuffles and atomic additions

#define __KATA_BF16_SHUFFLE(name, Argument)                                                        \
  __KATA_HALF __nv_bfloat16 name(unsigned mask, __nv_bfloat16 value, Argument argument,            \
                                 int width = 32) {                                                 \
    return __ushort_as_bfloat16((unsigned short)name(mask, (unsigned)value.__x, argument, width)); \
  }                                                                                                \
  __KATA_HALF __nv_bfloat162 name(unsigned mask, __nv_bfloat162 value, Argument argument,          \
                                  int width = 32) {                                                \
    return ::__kata::from_bits<__nv_bfloat162>(name(mask, value.__whole(), argument, width));      \
  }
__KATA_BF16_SHUFFLE(__shfl_sync, int)
__KATA_BF16_SHUFFLE(__shfl_up_sync, unsigned)
__KATA_BF16_SHUFFLE(__shfl_down_sync, unsigned)
__KATA_BF16_SHUFFLE(__shfl_xor_sync, int)

__KATA_HALF __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 value) {
  return __ushort_as_bfloat16((unsigned short)__kata_atomic(
      ::__kata::atomic_add, ::__kata::type_bf16, address, value.__x, 0));
}
__KATA_HALF __nv_bfloat162 atomicAdd(__nv_bfloat162* address, __nv_bfloat162 value) {
  return ::__kata::from_bits<__nv_bfloat162>(
      __kata_atomic(::__kata::atomic_add, ::__kata::type_bf16x2, address, value.__whole(), 0));
}

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif
