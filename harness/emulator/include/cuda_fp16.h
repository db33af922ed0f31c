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

struct __attribute__((aligned(4))) __half2 {
  __half x, y;

  __half2() = default;
  __half2(__half a, __half b) : x(a), y(b) {}
  __attribute__((always_inline)) __half2(const __half2& other) { __whole(other.__whole()); }
  __attribute__((always_inline)) __half2& operator=(const __half2& other) {
    __whole(other.__whole());
    return *this;
  }

  // Both at once: a copy is one access of 4 bytes.
  typedef unsigned __attribute__((may_alias)) Both;
  __KATA_INLINE unsigned __whole() const { return ::__kata::Whole<4>::copy(*(const Both*)this); }
  __KATA_INLINE void __whole(unsigned bits) { *(Both*)this = bits; }

  __KATA_TO_PLAIN(::__kata::Plain2<__half2, __half>)
};

namespace __kata {
template <>
struct InUnionOf<__half2> {
  typedef Plain2<__half2, __half> type;
};
}  // namespace __kata

typedef __half half;
typedef __half2 half2;

#define __KATA_HALF static __KATA_INLINE

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
__KATA_HALF float __low2float(__half2 v) {
  return v.x;
}
__KATA_HALF float __high2float(__half2 v) {
  return v.y;
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
__KATA_HALF __half2 __lowhigh2highlow(__half2 v) {
  return __half2(v.y, v.x);
}

// ---- arithmetic and comparison, one by one and in pairs

#define __KATA_HALF_BINARY(name, name2, op)                             \
  __KATA_HALF __half name(__half a, __half b) {                         \
    return __half((float)a op(float) b);                                \
  }                                                                     \
  __KATA_HALF __half2 name2(__half2 a, __half2 b) {                     \
    return __half2(name(a.x, b.x), name(a.y, b.y));                     \
  }                                                                     \
  __KATA_HALF __half operator op(const __half& a, const __half& b) {    \
    return name(a, b);                                                  \
  }                                                                     \
  __KATA_HALF __half2 operator op(const __half2& a, const __half2& b) { \
    return name2(a, b);                                                 \
  }                                                                     \
  inline __half& __half::operator op##=(const __half& b) {              \
    return *this = name(*this, b);                                      \
  }                                                                     \
  __KATA_HALF __half2& operator op##=(__half2& a, const __half2& b) {   \
    return a = name2(a, b);                                             \
  }
__KATA_HALF_BINARY(__hadd, __hadd2, +)
__KATA_HALF_BINARY(__hsub, __hsub2, -)
__KATA_HALF_BINARY(__hmul, __hmul2, *)
__KATA_HALF_BINARY(__hdiv, __h2div, /)

#define __KATA_HALF_COMPARE(name, op)                                                           \
  __KATA_HALF bool name(__half a, __half b) {                                                   \
    return (float)a op(float) b;                                                                \
  }                                                                                             \
  __KATA_HALF __half2 name##2(__half2 a, __half2 b) {                                           \
    return __half2(__half(name(a.x, b.x) ? 1.0f : 0.0f), __half(name(a.y, b.y) ? 1.0f : 0.0f)); \
  }                                                                                             \
  __KATA_HALF bool operator op(const __half& a, const __half& b) {                              \
    return name(a, b);                                                                          \
  }
__KATA_HALF_COMPARE(__heq, ==)
__KATA_HALF_COMPARE(__hne, !=)
__KATA_HALF_COMPARE(__hlt, <)
__KATA_HALF_COMPARE(__hle, <=)
__KATA_HALF_COMPARE(__hgt, >)
__KATA_HALF_COMPARE(__hge, >=)

__KATA_HALF __half __hneg(__half a) {
  return __ushort_as_half(a.__x ^ 0x8000);
}
__KATA_HALF __half __habs(__half a) {
  return __ushort_as_half(a.__x & 0x7fff);
}
__KATA_HALF __half operator-(const __half& a) {
  return __hneg(a);
}
__KATA_HALF __half2 operator-(const __half2& a) {
  return __half2(__hneg(a.x), __hneg(a.y));
}
__KATA_HALF __half2 __hneg2(__half2 a) {
  return -a;
}
__KATA_HALF __half2 __habs2(__half2 a) {
  return __half2(__habs(a.x), __habs(a.y));
}
// In double: the exact product and sum, then one rounding that double cannot disturb.
__KATA_HALF __half __hfma(__half a, __half b, __half c) {
  return __half(fma((double)(float)a, (double)(float)b, (double)(float)c));
}
__KATA_HALF __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
__KATA_HALF bool __hisnan(__half a) {
  return (a.__x & 0x7fff) > 0x7c00;
}
__KATA_HALF int __hisinf(__half a) {
  return a.__x == 0x7c00 ? 1 : a.__x == 0xfc00 ? -1 : 0;
}
__KATA_HALF __half __hmax(__half a, __half b) {
  return __half(fmaxf(a, b));
}
__KATA_HALF __half __hmin(__half a, __half b) {
  return __half(fminf(a, b));
}
__KATA_HALF __half2 __hmax2(__half2 a, __half2 b) {
  return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
__KATA_HALF __half2 __hmin2(__half2 a, __half2 b) {
  return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}

#define __KATA_HALF_FUNCTION(name, function)    \
  __KATA_HALF __half h##name(__half a) {        \
    return __half(function((float)a));          \
  }                                             \
  __KATA_HALF __half2 h2##name(__half2 a) {     \
    return __half2(h##name(a.x), h##name(a.y)); \
  }
__KATA_HALF_FUNCTION(exp, expf)
__KATA_HALF_FUNCTION(exp2, exp2f)
__KATA_HALF_FUNCTION(log, logf)
__KATA_HALF_FUNCTION(log2, log2f)
__KATA_HALF_FUNCTION(sqrt, sqrtf)
__KATA_HALF_FUNCTION(rsqrt, rsqrtf)
__KATA_HALF_FUNCTION(rcp, 1.0f /)
__KATA_HALF_FUNCTION(sin, sinf)
__KATA_HALF_FUNCTION(cos, cosf)
__KATA_HALF_FUNCTION(floor, floorf)
__KATA_HALF_FUNCTION(ceil, ceilf)
__KATA_HALF_FUNCTION(trunc, truncf)
__KATA_HALF_FUNCTION(rint, rintf)
__KATA_HALF_FUNCTION(exp10, exp10f)
__KATA_HALF_FUNCTION(log10, log10f)
__KATA_HALF_FUNCTION(tanh, tanhf)

// ---- shuffles

#define __KATA_HALF_SHUFFLE(name, Argument)                                                    \
  __KATA_HALF __half name(unsigned mask, __half value, Argument argument, int width = 32) {    \
    return __ushort_as_half((unsigned short)name(mask, (unsigned)value.__x, argument, width)); \
  }                                                                                            \
  __KATA_HALF __half2 name(unsigned mask, __half2 value, Argument argument, int width = 32) {  \
    return ::__kata::from_bits<__half2>(name(mask, value.__whole(), argument, width));         \
  }
__KATA_HALF_SHUFFLE(__shfl_sync, int)
__KATA_HALF_SHUFFLE(__shfl_up_sync, unsigned)
__KATA_HALF_SHUFFLE(__shfl_down_sync, unsigned)
__KATA_HALF_SHUFFLE(__shfl_xor_sync, int)

// ---- atomic additions

__KATA_HALF __half atomicAdd(__half* address, __half value) {
  return __ushort_as_half((unsigned short)__kata_atomic(::__kata::atomic_add, ::__kata::type_f16,
                                                        address, value.__x, 0));
}
__KATA_HALF __half2 atomicAdd(__half2* address, __half2 value) {
  return ::__kata::from_bits<__half2>(
      __kata_atomic(::__kata::atomic_add, ::__kata::type_f16x2, address, value.__whole(), 0));
}

// ---- less common conversions and arithmetic

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
__KATA_HALF __half __hadd_sat(__half a, __half b) {
  return __half(__saturatef((float)a + (float)b));
}
__KATA_HALF __half __hmul_sat(__half a, __half b) {
  return __half(__saturatef((float)a * (float)b));
}
__KATA_HALF __half __hfma_relu(__half a, __half b, __half c) {
  const __half sum = __hfma(a, b, c);
  return (float)sum > 0 ? sum : __half(0.0f);
}
__KATA_HALF bool __hbeq2(__half2 a, __half2 b) {
  return __heq(a.x, b.x) && __heq(a.y, b.y);
}
__KATA_HALF bool __hblt2(__half2 a, __half2 b) {
  return __hlt(a.x, b.x) && __hlt(a.y, b.y);
}
__KATA_HALF bool __hbgt2(__half2 a, __half2 b) {
  return __hgt(a.x, b.x) && __hgt(a.y, b.y);
}

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif
