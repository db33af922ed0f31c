#pragma once
#pragma GCC system_header
// Complex numbers as pairs of floats or doubles.

#include "kata_emulator/letters_begin.h"

#include "cuda_runtime.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device begin
#endif

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// The functions end in f for floats. Division scales both numbers, so that the square of the
// divisor's length neither overflows nor vanishes.
#define __KATA_COMPLEX(T, R, f, make)                                                \
  static __KATA_INLINE T make(R real, R imaginary) {                                 \
    T z;                                                                             \
    z.x = real;                                                                      \
    z.y = imaginary;                                                                 \
    return z;                                                                        \
  }                                                                                  \
  static __KATA_INLINE R cuCreal##f(T z) {                                           \
    return z.x;                                                                      \
  }                                                                                  \
  static __KATA_INLINE R cuCimag##f(T z) {                                           \
    return z.y;                                                                      \
  }                                                                                  \
  static __KATA_INLINE T cuConj##f(T z) {                                            \
    return make(z.x, -z.y);                                                          \
  }                                                                                  \
  static __KATA_INLINE T cuCadd##f(T a, T b) {                                       \
    return make(a.x + b.x, a.y + b.y);                                               \
  }                                                                                  \
  static __KATA_INLINE T cuCsub##f(T a, T b) {                                       \
    return make(a.x - b.x, a.y - b.y);                                               \
  }                                                                                  \
  static __KATA_INLINE T cuCmul##f(T a, T b) {                                       \
    return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                       \
  }                                                                                  \
  static __KATA_INLINE T cuCfma##f(T a, T b, T c) {                                  \
    return make(-(a.y * b.y) + (a.x * b.x + c.x), a.y * b.x + (a.x * b.y + c.y));    \
  }                                                                                  \
  static __KATA_INLINE T cuCdiv##f(T a, T b) {                                       \
    const R scale = R(1) / (fabs##f(b.x) + fabs##f(b.y));                            \
    const T p = make(a.x * scale, a.y * scale), q = make(b.x * scale, b.y * scale);  \
    const R length = R(1) / (q.x * q.x + q.y * q.y);                                 \
    return make((p.x * q.x + p.y * q.y) * length, (p.y * q.x - p.x * q.y) * length); \
  }                                                                                  \
  static __KATA_INLINE R cuCabs##f(T z) {                                            \
    return hypot##f(z.x, z.y);                                                       \
  }

__KATA_COMPLEX(cuFloatComplex, float, f, make_cuFloatComplex)
__KATA_COMPLEX(cuDoubleComplex, double, , make_cuDoubleComplex)
#undef __KATA_COMPLEX

static __KATA_INLINE cuComplex make_cuComplex(float real, float imaginary) {
  return make_cuFloatComplex(real, imaginary);
}
static __KATA_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return make_cuDoubleComplex(z.x, z.y);
}
static __KATA_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_cuFloatComplex((float)z.x, (float)z.y);
}

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif

#include "kata_emulator/letters_end.h"
