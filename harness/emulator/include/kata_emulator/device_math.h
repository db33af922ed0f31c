#pragma once
#pragma GCC system_header
// Mathematics that CUDA has beyond <math.h>.

#include <fenv.h>
#include <math.h>
#include <stdlib.h>

#include "../vector_types.h"
#include "approximate.h"

// ---- min and max of all that nvcc overloads them for

#define __KATA_MIN_MAX(R, A, B)                    \
  static __KATA_INLINE constexpr R min(A a, B b) { \
    return (R)b < (R)a ? (R)b : (R)a;              \
  }                                                \
  static __KATA_INLINE constexpr R max(A a, B b) { \
    return (R)a < (R)b ? (R)b : (R)a;              \
  }
#define __KATA_MIN_MAX_MIXED(S, U) \
  __KATA_MIN_MAX(S, S, S)          \
  __KATA_MIN_MAX(U, U, U)          \
  __KATA_MIN_MAX(U, S, U)          \
  __KATA_MIN_MAX(U, U, S)
__KATA_MIN_MAX_MIXED(int, unsigned)
__KATA_MIN_MAX_MIXED(long, unsigned long)
__KATA_MIN_MAX_MIXED(long long, unsigned long long)

// Of two numbers the one that is no NaN, and of zeros -0 is less than 0, as on the device (PTX ISA,
// min and max). The host's fminf and fmaxf may return either zero.
#define __KATA_DEVICE_MIN_MAX(R, min, max)                                                \
  extern "C" inline __attribute__((gnu_inline, always_inline)) R min(R a, R b) noexcept { \
    if (a == b) return __builtin_signbit(a) ? a : b;                                      \
    return b < a || a != a ? b : a;                                                       \
  }                                                                                       \
  extern "C" inline __attribute__((gnu_inline, always_inline)) R max(R a, R b) noexcept { \
    if (a == b) return __builtin_signbit(a) ? b : a;                                      \
    return a < b || a != a ? b : a;                                                       \
  }
__KATA_DEVICE_MIN_MAX(float, fminf, fmaxf)
__KATA_DEVICE_MIN_MAX(double, fmin, fmax)
#undef __KATA_DEVICE_MIN_MAX

#define __KATA_FLOAT_MIN_MAX(R, A, B, of) \
  static __KATA_INLINE R min(A a, B b) {  \
    return fmin##of(a, b);                \
  }                                       \
  static __KATA_INLINE R max(A a, B b) {  \
    return fmax##of(a, b);                \
  }
__KATA_FLOAT_MIN_MAX(float, float, float, f)
__KATA_FLOAT_MIN_MAX(double, double, double, )
__KATA_FLOAT_MIN_MAX(double, float, double, )
__KATA_FLOAT_MIN_MAX(double, double, float, )

static __KATA_INLINE unsigned umin(unsigned a, unsigned b) {
  return a < b ? a : b;
}
static __KATA_INLINE unsigned umax(unsigned a, unsigned b) {
  return a < b ? b : a;
}
static __KATA_INLINE long long llmin(long long a, long long b) {
  return a < b ? a : b;
}
static __KATA_INLINE long long llmax(long long a, long long b) {
  return a < b ? b : a;
}

static __KATA_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
static __KATA_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a < b ? b : a;
}

// ---- functions that <math.h> lacks

#define __KATA_MATH static __KATA_INLINE

__KATA_MATH float rsqrtf(float x) {
  return 1.0f / sqrtf(x);
}
__KATA_MATH double rsqrt(double x) {
  return 1.0 / sqrt(x);
}
__KATA_MATH float rsqrt(float x) {
  return rsqrtf(x);
}
__KATA_MATH float rcbrtf(float x) {
  return 1.0f / cbrtf(x);
}
__KATA_MATH double rcbrt(double x) {
  return 1.0 / cbrt(x);
}
__KATA_MATH float rhypotf(float x, float y) {
  return 1.0f / hypotf(x, y);
}
__KATA_MATH double rhypot(double x, double y) {
  return 1.0 / hypot(x, y);
}
__KATA_MATH float norm3df(float a, float b, float c) {
  return sqrtf(a * a + b * b + c * c);
}
__KATA_MATH double norm3d(double a, double b, double c) {
  return sqrt(a * a + b * b + c * c);
}
__KATA_MATH float norm4df(float a, float b, float c, float d) {
  return sqrtf(a * a + b * b + c * c + d * d);
}
__KATA_MATH float rnorm3df(float a, float b, float c) {
  return 1.0f / norm3df(a, b, c);
}
__KATA_MATH float rnorm4df(float a, float b, float c, float d) {
  return 1.0f / norm4df(a, b, c, d);
}
__KATA_MATH double sinpi(double x) {
  return sin(M_PI * remainder(x, 2.0));
}
__KATA_MATH double cospi(double x) {
  return cos(M_PI * remainder(x, 2.0));
}
__KATA_MATH float sinpif(float x) {
  return (float)sinpi(x);
}
__KATA_MATH float cospif(float x) {
  return (float)cospi(x);
}
__KATA_MATH void sincospif(float x, float* s, float* c) {
  *s = sinpif(x), *c = cospif(x);
}
__KATA_MATH void sincospi(double x, double* s, double* c) {
  *s = sinpi(x), *c = cospi(x);
}
__KATA_MATH float normcdff(float x) {
  return (float)(0.5 * erfc(-(double)x * M_SQRT1_2));
}
__KATA_MATH double normcdf(double x) {
  return 0.5 * erfc(-x * M_SQRT1_2);
}
// The inverse functions, by Halley's method. Its start: S. Winitzki, "A handy approximation for the
// error function and its inverse" (2008), right to 2 parts in 1000.
__KATA_MATH double erfcinv(double x) {
  if (!(x > 0 && x < 2)) return x == 0 ? HUGE_VAL : x == 2 ? -HUGE_VAL : NAN;
  const double tail = x > 1 ? 2 - x : x;
  const double l = log(x * (2 - x)), t = 2 / (M_PI * 0.147) + l / 2;
  double y = sqrt(sqrt(t * t - l / 0.147) - t);
  for (int i = 0; i < 4; ++i) {
    const double u = (tail - erfc(y)) * exp(y * y) / M_2_SQRTPI;
    y -= u / (1 + u * y);
  }
  return x > 1 ? -y : y;
}
__KATA_MATH double erfinv(double x) {
  if (!(fabs(x) < 0.5)) return x < 0 ? -erfcinv(1 + x) : erfcinv(1 - x);
  double y = x / M_2_SQRTPI;
  for (int i = 0; i < 4; ++i) {
    const double u = (erf(y) - x) * exp(y * y) / M_2_SQRTPI;
    y -= u / (1 + u * y);
  }
  return y;
}
__KATA_MATH double normcdfinv(double x) {
  return -M_SQRT2 * erfcinv(2 * x);
}
__KATA_MATH float erfcinvf(float x) {
  return (float)erfcinv((double)x);
}
__KATA_MATH float erfinvf(float x) {
  return (float)erfinv((double)x);
}
__KATA_MATH float normcdfinvf(float x) {
  return (float)normcdfinv((double)x);
}
__KATA_MATH float erfcxf(float x) {
  return (float)(exp((double)x * x) * erfc((double)x));
}
__KATA_MATH double erfcx(double x) {
  return exp(x * x) * erfc(x);
}
__KATA_MATH float fdividef(float a, float b) {
  return a / b;
}

// ---- fast intrinsics, made of the instructions that the device has for them. The C library
// declares most of these names itself, with C linkage.

#ifndef __KATA_EDITOR
#define __KATA_FAST(name, value)                          \
  extern "C" __KATA_INLINE float name(float x) noexcept { \
    return value;                                         \
  }
__KATA_FAST(__expf, ::__kata::approximate_ex2(x * 1.4426950408889634f))
__KATA_FAST(__exp10f, ::__kata::approximate_ex2(x * 3.3219280948873623f))
__KATA_FAST(__logf, ::__kata::approximate_lg2(x) * 0.6931471805599453f)
__KATA_FAST(__log2f, ::__kata::approximate_lg2(x))
__KATA_FAST(__log10f, ::__kata::approximate_lg2(x) * 0.3010299956639812f)
__KATA_FAST(__sinf, ::__kata::approximate_sin(x))
__KATA_FAST(__cosf, ::__kata::approximate_cos(x))
__KATA_FAST(__tanf, ::__kata::approximate_quotient(__sinf(x), __cosf(x)))
__KATA_FAST(__tanhf, ::__kata::approximate_tanh(x))
#undef __KATA_FAST
extern "C" __KATA_INLINE float __powf(float x, float y) noexcept {
  return ::__kata::approximate_ex2(y * ::__kata::approximate_lg2(x));
}
extern "C" __KATA_INLINE void __sincosf(float x, float* s, float* c) noexcept {
  *s = __sinf(x), *c = __cosf(x);
}
#endif
__KATA_MATH float __fdividef(float a, float b) {
  return ::__kata::approximate_quotient(a, b);
}
__KATA_MATH float __saturatef(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
__KATA_MATH float __frsqrt_rn(float x) {
  return (float)(1.0 / sqrt((double)x));
}

// ---- arithmetic with a given rounding: to nearest even, to zero, up, down

namespace __kata {

template <int mode>
struct Rounding {
  int before = fegetround();
  Rounding() {
    if (mode != FE_TONEAREST) fesetround(mode);
  }
  ~Rounding() {
    if (mode != FE_TONEAREST) fesetround(before);
  }
};

/// Keeps the compiler from computing across the change of rounding.
template <class T>
__KATA_INLINE T opaque(T value) {
  __asm__ volatile("" : "+x"(value));
  return value;
}

}  // namespace __kata

#define __KATA_ROUNDED(suffix, mode)                                                               \
  __KATA_ROUNDED_TYPE(float, __fadd, __fsub, __fmul, __fdiv, __fmaf, __fsqrt, __frcp, sqrtf, fmaf, \
                      suffix, mode)                                                                \
  __KATA_ROUNDED_TYPE(double, __dadd, __dsub, __dmul, __ddiv, __fma, __dsqrt, __drcp, sqrt, fma,   \
                      suffix, mode)
#define __KATA_ROUNDED_TYPE(T, add, sub, mul, div, fma_, sqrt_, rcp, root, fused, suffix, mode)    \
  __KATA_MATH T add##suffix(T a, T b) {                                                            \
    ::__kata::Rounding<mode> r;                                                                    \
    return ::__kata::opaque(::__kata::opaque(a) + ::__kata::opaque(b));                            \
  }                                                                                                \
  __KATA_MATH T sub##suffix(T a, T b) {                                                            \
    ::__kata::Rounding<mode> r;                                                                    \
    return ::__kata::opaque(::__kata::opaque(a) - ::__kata::opaque(b));                            \
  }                                                                                                \
  __KATA_MATH T mul##suffix(T a, T b) {                                                            \
    ::__kata::Rounding<mode> r;                                                                    \
    return ::__kata::opaque(::__kata::opaque(a) * ::__kata::opaque(b));                            \
  }                                                                                                \
  __KATA_MATH T div##suffix(T a, T b) {                                                            \
    ::__kata::Rounding<mode> r;                                                                    \
    return ::__kata::opaque(::__kata::opaque(a) / ::__kata::opaque(b));                            \
  }                                                                                                \
  __KATA_MATH T rcp##suffix(T a) {                                                                 \
    return div##suffix((T)1, a);                                                                   \
  }                                                                                                \
  __KATA_MATH T sqrt_##suffix(T a) {                                                               \
    ::__kata::Rounding<mode> r;                                                                    \
    return ::__kata::opaque(root(::__kata::opaque(a)));                                            \
  }                                                                                                \
  __KATA_MATH T fma_##suffix(T a, T b, T c) {                                                      \
    ::__kata::Rounding<mode> r;                                                                    \
    return ::__kata::opaque(fused(::__kata::opaque(a), ::__kata::opaque(b), ::__kata::opaque(c))); \
  }
// Of both members of a float2 (since CUDA 13).
#define __KATA_ROUNDED_PAIRS(suffix)                                       \
  __KATA_MATH float2 __fadd2##suffix(float2 a, float2 b) {                 \
    return {__fadd##suffix(a.x, b.x), __fadd##suffix(a.y, b.y)};           \
  }                                                                        \
  __KATA_MATH float2 __fmul2##suffix(float2 a, float2 b) {                 \
    return {__fmul##suffix(a.x, b.x), __fmul##suffix(a.y, b.y)};           \
  }                                                                        \
  __KATA_MATH float2 __ffma2##suffix(float2 a, float2 b, float2 c) {       \
    return {__fmaf##suffix(a.x, b.x, c.x), __fmaf##suffix(a.y, b.y, c.y)}; \
  }
__KATA_ROUNDED(_rn, FE_TONEAREST)
__KATA_ROUNDED(_rz, FE_TOWARDZERO)
__KATA_ROUNDED(_ru, FE_UPWARD)
__KATA_ROUNDED(_rd, FE_DOWNWARD)
__KATA_ROUNDED_PAIRS(_rn)
__KATA_ROUNDED_PAIRS(_rz)
__KATA_ROUNDED_PAIRS(_ru)
__KATA_ROUNDED_PAIRS(_rd)
#undef __KATA_ROUNDED_PAIRS
