#pragma once
#pragma GCC system_header
// E8M0, the scales of blocks of FP8 numbers ("OCP Microscaling Formats (MX) Specification"): powers
// of two from 2^-127 to 2^127 without a sign, and NaN. Part of cuda_fp8.h.

// ---- numbers to scales: the power of two above or below the magnitude

/// `rounding` is cudaRoundZero or cudaRoundPosInf. What is too small becomes 2^-127. What is
/// rounded up to more than 2^127, or infinite, becomes 2^127, or without saturation NaN.
static inline __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate,
                                                         enum cudaRoundMode rounding) {
  const double magnitude = fabs(x);
  const __nv_fp8_storage_t most = 0xfe, nan = 0xff;
  const __nv_fp8_storage_t above = saturate == __NV_SATFINITE ? most : nan;
  if (isnan(x)) return nan;
  if (isinf(x)) return above;
  if (magnitude <= ldexp(1.0, -127)) return 0;
  int exponent = ilogb(magnitude);
  if (rounding == cudaRoundPosInf && ldexp(1.0, exponent) < magnitude) ++exponent;
  if (exponent > 127) return rounding == cudaRoundPosInf ? above : most;
  return (__nv_fp8_storage_t)(exponent + 127);
}
static inline __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate,
                                                        enum cudaRoundMode rounding) {
  return __nv_cvt_double_to_e8m0(x, saturate, rounding);
}
static inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x,
                                                              __nv_saturation_t saturate,
                                                              enum cudaRoundMode rounding) {
  return __nv_cvt_float_to_e8m0(__nv_bfloat16(x), saturate, rounding);
}

// Two at once: the first in the low byte.
static inline __nv_fp8x2_storage_t __nv_cvt_double2_to_e8m0x2(double2 x, __nv_saturation_t saturate,
                                                              enum cudaRoundMode rounding) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_e8m0(x.x, saturate, rounding) |
                                __nv_cvt_double_to_e8m0(x.y, saturate, rounding) << 8);
}
static inline __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 x, __nv_saturation_t saturate,
                                                             enum cudaRoundMode rounding) {
  return __nv_cvt_double2_to_e8m0x2({x.x, x.y}, saturate, rounding);
}
static inline __nv_fp8x2_storage_t __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw x,
                                                                   __nv_saturation_t saturate,
                                                                   enum cudaRoundMode rounding) {
  const __nv_bfloat16_raw low = {x.x}, high = {x.y};
  return __nv_cvt_double2_to_e8m0x2({float(__nv_bfloat16(low)), float(__nv_bfloat16(high))},
                                    saturate, rounding);
}

// ---- scales to numbers: exact

static inline float __kata_float_of_e8m0(__nv_fp8_storage_t x) {
  return x == 0xff ? __uint_as_float(0x7fffffffu) : ldexpf(1, x - 127);
}
static inline __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  return {(unsigned short)(x == 0xff ? 0x7fff : x == 0 ? 0x0040 : x << 7)};
}
static inline __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x) {
  return {__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x,
          __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x};
}

namespace __kata {

/// As a double that lies between the same powers of two.
template <class Integer>
__KATA_INLINE double between_powers(Integer x) {
  const unsigned long long magnitude = x < 0 ? 0 - (unsigned long long)x : (unsigned long long)x;
  if (magnitude >> 53 == 0) return (double)magnitude;
  return 2048.0 * (double)(magnitude >> 11 | ((magnitude & 2047) != 0));
}

}  // namespace __kata

// ---- types: conversions to them round up and saturate

struct __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e8m0() = default;
  explicit __nv_fp8_e8m0(double x)
      : __x(__nv_cvt_double_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __nv_fp8_e8m0(float x) : __nv_fp8_e8m0((double)x) {}
  explicit __nv_fp8_e8m0(__half x) : __nv_fp8_e8m0((float)x) {}
  explicit __nv_fp8_e8m0(__nv_bfloat16 x) : __nv_fp8_e8m0((float)x) {}
  template <class T, class = ::__kata::IfInteger<T>>
  explicit __nv_fp8_e8m0(T x) : __nv_fp8_e8m0(::__kata::between_powers(x)) {}
  explicit operator float() const { return __kata_float_of_e8m0(__x); }
  explicit operator double() const { return __kata_float_of_e8m0(__x); }
  explicit operator __half() const { return __half(__kata_float_of_e8m0(__x)); }
  explicit operator __nv_bfloat16() const { return __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x)); }
  /// Towards zero, as the other FP8 types.
  template <class T, class = ::__kata::IfInteger<T>>
  explicit operator T() const {
    if constexpr (::std::is_same<T, bool>::value) {
      return true;
    } else {
      return ::__kata::integer_from<T>(__kata_float_of_e8m0(__x), ::__kata::towards_zero);
    }
  }
};

struct __nv_fp8x2_e8m0 {
  __nv_fp8x2_storage_t __x;
  __nv_fp8x2_e8m0() = default;
  explicit __nv_fp8x2_e8m0(double2 x)
      : __x(__nv_cvt_double2_to_e8m0x2(x, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __nv_fp8x2_e8m0(float2 x) : __nv_fp8x2_e8m0(double2{x.x, x.y}) {}
  explicit __nv_fp8x2_e8m0(__half2 x) : __nv_fp8x2_e8m0(float2{x.x, x.y}) {}
  explicit __nv_fp8x2_e8m0(__nv_bfloat162 x) : __nv_fp8x2_e8m0(float2{x.x, x.y}) {}
  explicit operator float2() const {
    return {__kata_float_of_e8m0((__nv_fp8_storage_t)__x),
            __kata_float_of_e8m0((__nv_fp8_storage_t)(__x >> 8))};
  }
  explicit operator __half2() const {
    const float2 x = float2(*this);
    return __floats2half2_rn(x.x, x.y);
  }
  explicit operator __nv_bfloat162() const {
    return __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x));
  }
};

struct __nv_fp8x4_e8m0 {
  __nv_fp8x4_storage_t __x;
  __nv_fp8x4_e8m0() = default;
  __nv_fp8x4_e8m0(__nv_fp8x2_e8m0 low, __nv_fp8x2_e8m0 high)
      : __x(low.__x | (__nv_fp8x4_storage_t)high.__x << 16) {}
  template <class Pair>
  explicit __nv_fp8x4_e8m0(Pair low, Pair high)
      : __nv_fp8x4_e8m0(__nv_fp8x2_e8m0(low), __nv_fp8x2_e8m0(high)) {}
  explicit __nv_fp8x4_e8m0(float4 x) : __nv_fp8x4_e8m0(float2{x.x, x.y}, float2{x.z, x.w}) {}
  explicit __nv_fp8x4_e8m0(double4 x) : __nv_fp8x4_e8m0(double2{x.x, x.y}, double2{x.z, x.w}) {}
  explicit operator float4() const {
    __nv_fp8x2_e8m0 low, high;
    low.__x = (__nv_fp8x2_storage_t)__x;
    high.__x = (__nv_fp8x2_storage_t)(__x >> 16);
    const float2 a = float2(low), b = float2(high);
    return {a.x, a.y, b.x, b.y};
  }
};
