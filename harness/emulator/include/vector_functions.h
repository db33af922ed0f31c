#pragma once
#pragma GCC system_header
// make_float4 and its family.

#include "kata_emulator/letters_begin.h"

#include "vector_types.h"

#define __KATA_MAKE(name, T)                                                  \
  static __KATA_INLINE constexpr name##1 make_##name##1(T x) {                \
    return name##1 {x};                                                       \
  }                                                                           \
  static __KATA_INLINE constexpr name##2 make_##name##2(T x, T y) {           \
    return name##2 {x, y};                                                    \
  }                                                                           \
  static __KATA_INLINE constexpr name##3 make_##name##3(T x, T y, T z) {      \
    return name##3 {x, y, z};                                                 \
  }                                                                           \
  static __KATA_INLINE constexpr name##4 make_##name##4(T x, T y, T z, T w) { \
    return name##4 {x, y, z, w};                                              \
  }

__KATA_MAKE(char, signed char)
__KATA_MAKE(uchar, unsigned char)
__KATA_MAKE(short, short)
__KATA_MAKE(ushort, unsigned short)
__KATA_MAKE(int, int)
__KATA_MAKE(uint, unsigned)
__KATA_MAKE(long, long)
__KATA_MAKE(ulong, unsigned long)
__KATA_MAKE(longlong, long long)
__KATA_MAKE(ulonglong, unsigned long long)
__KATA_MAKE(float, float)
__KATA_MAKE(double, double)

#include "kata_emulator/letters_end.h"
