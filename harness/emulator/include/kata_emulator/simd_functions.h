#pragma once
#pragma GCC system_header
// Two halfwords or four bytes of a word at a time: "SIMD Intrinsics" of the CUDA Math API.

#include "abi.h"

/// f(lane of a, lane of b) in each lane of type Lane, as much of it as the lane holds.
template <class Lane, class F>
static __KATA_INLINE unsigned __kata_lanes(unsigned a, unsigned b, F f) {
  constexpr int bits = 8 * sizeof(Lane);
  constexpr unsigned mask = (1u << bits) - 1;
  unsigned result = 0;
  for (int at = 0; at < 32; at += bits)
    result |= ((unsigned)f((int)(Lane)(a >> at), (int)(Lane)(b >> at)) & mask) << at;
  return result;
}

template <class Lane>
static __KATA_INLINE int __kata_saturated(int x) {
  constexpr int bits = 8 * sizeof(Lane);
  constexpr bool is_signed = (Lane)-1 < (Lane)0;
  constexpr int most = (1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
  return x < least ? least : x > most ? most : x;
}

template <class Lane>
static __KATA_INLINE unsigned __kata_sum_of_differences(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int at = 0; at < 32; at += 8 * (int)sizeof(Lane)) {
    const int difference = (int)(Lane)(a >> at) - (int)(Lane)(b >> at);
    sum += (unsigned)(difference < 0 ? -difference : difference);
  }
  return sum;
}

// `lanes` is 2 or 4; `Signed` and `Unsigned` are the lanes' types.
#define __KATA_SIMD(name, Lane, value)                                   \
  static __KATA_INLINE unsigned name(unsigned a, unsigned b) {           \
    return __kata_lanes<Lane>(a, b, [](int x, int y) { return value; }); \
  }
#define __KATA_SIMD_1(name, Lane, value)                               \
  static __KATA_INLINE unsigned name(unsigned a) {                     \
    return __kata_lanes<Lane>(a, 0, [](int x, int) { return value; }); \
  }
#define __KATA_SIMD_COMPARED(lanes, sign, Lane, word, op) \
  __KATA_SIMD(__vcmp##word##sign##lanes, Lane, -(x op y)) \
  __KATA_SIMD(__vset##word##sign##lanes, Lane, x op y)
#define __KATA_SIMD_OF_SIGN(lanes, sign, Lane)                                \
  __KATA_SIMD(__vmax##sign##lanes, Lane, x > y ? x : y)                       \
  __KATA_SIMD(__vmin##sign##lanes, Lane, x < y ? x : y)                       \
  __KATA_SIMD(__vabsdiff##sign##lanes, Lane, x > y ? x - y : y - x)           \
  __KATA_SIMD(__vavg##sign##lanes, Lane, (x + y + (x + y >= 0)) >> 1)         \
  __KATA_SIMD(__vadd##sign##s##lanes, Lane, __kata_saturated<Lane>(x + y))    \
  __KATA_SIMD(__vsub##sign##s##lanes, Lane, __kata_saturated<Lane>(x - y))    \
  __KATA_SIMD_COMPARED(lanes, sign, Lane, ge, >=)                             \
  __KATA_SIMD_COMPARED(lanes, sign, Lane, gt, >)                              \
  __KATA_SIMD_COMPARED(lanes, sign, Lane, le, <=)                             \
  __KATA_SIMD_COMPARED(lanes, sign, Lane, lt, <)                              \
  static __KATA_INLINE unsigned __vsad##sign##lanes(unsigned a, unsigned b) { \
    return __kata_sum_of_differences<Lane>(a, b);                             \
  }
#define __KATA_SIMD_OF_LANES(lanes, Signed, Unsigned)                              \
  __KATA_SIMD_OF_SIGN(lanes, s, Signed)                                            \
  __KATA_SIMD_OF_SIGN(lanes, u, Unsigned)                                          \
  __KATA_SIMD_COMPARED(lanes, , Unsigned, eq, ==)                                  \
  __KATA_SIMD_COMPARED(lanes, , Unsigned, ne, !=)                                  \
  __KATA_SIMD(__vadd##lanes, Unsigned, x + y)                                      \
  __KATA_SIMD(__vsub##lanes, Unsigned, x - y)                                      \
  __KATA_SIMD(__vhaddu##lanes, Unsigned, (x + y) >> 1)                             \
  __KATA_SIMD_1(__vabs##lanes, Signed, x < 0 ? -x : x)                             \
  __KATA_SIMD_1(__vneg##lanes, Signed, -x)                                         \
  __KATA_SIMD_1(__vabsss##lanes, Signed, __kata_saturated<Signed>(x < 0 ? -x : x)) \
  __KATA_SIMD_1(__vnegss##lanes, Signed, __kata_saturated<Signed>(-x))

__KATA_SIMD_OF_LANES(2, short, unsigned short)
__KATA_SIMD_OF_LANES(4, signed char, unsigned char)

#undef __KATA_SIMD_OF_LANES
#undef __KATA_SIMD_OF_SIGN
#undef __KATA_SIMD_COMPARED
#undef __KATA_SIMD_1
#undef __KATA_SIMD
