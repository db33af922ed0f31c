#pragma once
#pragma GCC system_header
// FP8: E4M3 (4 bits of exponent, 3 of fraction, up to 448, no infinity) and E5M2 (5 and 2, up to
// 57344, with infinity), in "OCP 8-bit Floating Point Specification". Conversions round to nearest
// even, once. E8M0: kata_emulator/fp8_scales.h.

#include "kata_emulator/letters_begin.h"

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device begin
#endif

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

// ---- numbers to FP8

/// What is too large becomes the largest number, or without saturation infinity (E4M3: NaN).
__KATA_CALLED static inline __nv_fp8_storage_t __kata_number_to_fp8(
    double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format) {
  const bool e4m3 = format == __NV_E4M3;
  const int fraction = e4m3 ? 3 : 2, least_exponent = e4m3 ? -6 : -14;
  const unsigned most = e4m3 ? 0x7e : 0x7b;
  const unsigned sign = signbit(x) ? 0x80 : 0;
  const double magnitude = fabs(x);
  unsigned bits = 0xff;
  if (!isinf(x)) {
    const int exponent = magnitude > 0 ? ilogb(magnitude) : least_exponent;
    const int scale = exponent > least_exponent ? exponent : least_exponent;
    bits = ((unsigned)(scale - least_exponent) << fraction) +
           (unsigned)rint(ldexp(magnitude, fraction - scale));
  }
  if (bits > most) bits = saturate == __NV_SATFINITE ? most : e4m3 ? 0x7f : 0x7c;
  return (__nv_fp8_storage_t)(sign | bits);
}

static inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t format) {
  if (isnan(x)) {  // E5M2 keeps its upper bits
    const unsigned bits = (unsigned)((unsigned long long)__double_as_longlong(x) >> 50 & 3);
    return (__nv_fp8_storage_t)((signbit(x) ? 0x80u : 0u) |
                                (format == __NV_E4M3 ? 0x7fu : 0x7eu | bits));
  }
  return __kata_number_to_fp8(x, saturate, format);
}

/// Of a float, a NaN loses its sign.
static inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t format) {
  return isnan(x) ? (__nv_fp8_storage_t)0x7f : __nv_cvt_double_to_fp8(x, saturate, format);
}
static inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(__half(x), saturate, format);
}
static inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                             __nv_saturation_t saturate,
                                                             __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(__nv_bfloat16(x), saturate, format);
}

// Two at once: the first in the low byte.
#define __KATA_FP8_PAIR(name, Pair, convert)                                                      \
  static inline __nv_fp8x2_storage_t name(Pair x, __nv_saturation_t saturate,                     \
                                          __nv_fp8_interpretation_t format) {                     \
    return (__nv_fp8x2_storage_t)(convert(x.x, saturate, format) | convert(x.y, saturate, format) \
                                                                       << 8);                     \
  }
static inline __nv_fp8_storage_t __kata_half_bits_to_fp8(unsigned short bits,
                                                         __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t format) {
  return __nv_cvt_halfraw_to_fp8({bits}, saturate, format);
}
static inline __nv_fp8_storage_t __kata_bfloat16_bits_to_fp8(unsigned short bits,
                                                             __nv_saturation_t saturate,
                                                             __nv_fp8_interpretation_t format) {
  return __nv_cvt_bfloat16raw_to_fp8({bits}, saturate, format);
}
__KATA_FP8_PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8)
__KATA_FP8_PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8)
__KATA_FP8_PAIR(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __kata_half_bits_to_fp8)
__KATA_FP8_PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __kata_bfloat16_bits_to_fp8)
#undef __KATA_FP8_PAIR

// ---- FP8 to numbers: exact

__KATA_CALLED static inline float __kata_float_of_fp8_number(__nv_fp8_storage_t x,
                                                             __nv_fp8_interpretation_t format) {
  const bool e4m3 = format == __NV_E4M3;
  const int fraction = e4m3 ? 3 : 2, least_exponent = e4m3 ? -6 : -14;
  const unsigned magnitude = x & 0x7fu;
  const unsigned hidden = 1u << fraction, low = magnitude & (hidden - 1);
  const int exponent = (int)(magnitude >> fraction);
  float value = exponent == 0
                    ? ldexpf((float)low, least_exponent - fraction)
                    : ldexpf((float)(low + hidden), exponent - 1 + least_exponent - fraction);
  if (!e4m3 && magnitude == 0x7c) value = INFINITY;
  return x & 0x80 ? -value : value;
}
static inline float __kata_float_of_fp8(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
  if ((x & 0x7fu) > (format == __NV_E4M3 ? 0x7eu : 0x7cu)) return __uint_as_float(0x7fffffffu);
  return __kata_float_of_fp8_number(x, format);
}
static inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                                 __nv_fp8_interpretation_t format) {
  return {__half(__kata_float_of_fp8(x, format)).__x};
}
static inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                     __nv_fp8_interpretation_t format) {
  return {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, format).x,
          __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), format).x};
}

// ---- types: conversions to them saturate

namespace __kata {

template <class T>
using IfInteger = typename ::std::enable_if<::std::is_integral<T>::value>::type;

/// Towards zero; what is too large becomes the largest number, and NaN 0 (of 64 bits the sign bit).
template <class Integer>
__KATA_INLINE Integer integer_of_fp8(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
  if constexpr (::std::is_same<Integer, bool>::value) {
    return (x & 0x7f) != 0;
  } else {
    return integer_from<Integer>(__kata_float_of_fp8(x, format), towards_zero);
  }
}

}  // namespace __kata

#define __KATA_FP8(name, pair, quad, format)                                                  \
  struct name {                                                                               \
    __nv_fp8_storage_t __x;                                                                   \
    name() = default;                                                                         \
    explicit name(__half x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, format)) {}        \
    explicit name(__nv_bfloat16 x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, format)) {} \
    explicit name(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, format)) {}         \
    explicit name(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, format)) {}       \
    template <class T, class = ::__kata::IfInteger<T>>                                        \
    explicit name(T x) : __x(__nv_cvt_float_to_fp8((float)x, __NV_SATFINITE, format)) {}      \
    explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, format)); } \
    explicit operator __nv_bfloat16() const {                                                 \
      return __nv_bfloat16(__kata_float_of_fp8(__x, format));                                 \
    }                                                                                         \
    explicit operator float() const { return __kata_float_of_fp8(__x, format); }              \
    explicit operator double() const { return __kata_float_of_fp8(__x, format); }             \
    template <class T, class = ::__kata::IfInteger<T>>                                        \
    explicit operator T() const {                                                             \
      return ::__kata::integer_of_fp8<T>(__x, format);                                        \
    }                                                                                         \
  };                                                                                          \
  struct pair {                                                                               \
    __nv_fp8x2_storage_t __x;                                                                 \
    pair() = default;                                                                         \
    explicit pair(__half2 x) : pair(float2{x.x, x.y}) {}                                      \
    explicit pair(__nv_bfloat162 x) : pair(float2{x.x, x.y}) {}                               \
    explicit pair(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, format)) {}     \
    explicit pair(double2 x) : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, format)) {}   \
    explicit operator __half2() const {                                                       \
      const float2 x = float2(*this);                                                         \
      return __floats2half2_rn(x.x, x.y);                                                     \
    }                                                                                         \
    explicit operator float2() const {                                                        \
      return {__kata_float_of_fp8((__nv_fp8_storage_t)__x, format),                           \
              __kata_float_of_fp8((__nv_fp8_storage_t)(__x >> 8), format)};                   \
    }                                                                                         \
  };                                                                                          \
  struct quad {                                                                               \
    __nv_fp8x4_storage_t __x;                                                                 \
    quad() = default;                                                                         \
    quad(pair low, pair high) : __x(low.__x | (__nv_fp8x4_storage_t)high.__x << 16) {}        \
    explicit quad(__half2 low, __half2 high) : quad(pair(low), pair(high)) {}                 \
    explicit quad(__nv_bfloat162 low, __nv_bfloat162 high) : quad(pair(low), pair(high)) {}   \
    explicit quad(float4 x) : quad(pair(float2{x.x, x.y}), pair(float2{x.z, x.w})) {}         \
    explicit quad(double4 x) : quad(pair(double2{x.x, x.y}), pair(double2{x.z, x.w})) {}      \
    explicit operator float4() const {                                                        \
      pair low, high;                                                                         \
      low.__x = (__nv_fp8x2_storage_t)__x;                                                    \
      high.__x = (__nv_fp8x2_storage_t)(__x >> 16);                                           \
      const float2 a = float2(low), b = float2(high);                                         \
      return {a.x, a.y, b.x, b.y};                                                            \
    }                                                                                         \
  };
__KATA_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
__KATA_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef __KATA_FP8

#include "kata_emulator/fp8_scales.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif

#include "kata_emulator/letters_end.h"
