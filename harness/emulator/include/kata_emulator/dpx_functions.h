#pragma once
#pragma GCC system_header
// The largest and the smallest of two or three numbers or of a sum, whole words or two halfwords at
// a time: the chapter on DPX of the CUDA C++ Programming Guide. Sums wrap round.

#include "abi.h"

/// f(lane of a, lane of b, lane of c) in each lane of type Lane.
template <class Lane, class F>
static __KATA_INLINE unsigned __kata_dpx(unsigned a, unsigned b, unsigned c, F f) {
  constexpr int bits = 8 * sizeof(Lane);
  constexpr unsigned mask = ~0u >> (32 - bits);
  unsigned result = 0;
  for (int at = 0; at < 32; at += bits)
    result |= ((unsigned)f((Lane)(a >> at), (Lane)(b >> at), (Lane)(c >> at)) & mask) << at;
  return result;
}

template <class Lane>
static __KATA_INLINE Lane __kata_dpx_max(Lane x, Lane y) {
  return x > y ? x : y;
}
template <class Lane>
static __KATA_INLINE Lane __kata_dpx_min(Lane x, Lane y) {
  return x < y ? x : y;
}
template <class Lane>
static __KATA_INLINE Lane __kata_dpx_sum(Lane x, Lane y) {
  return (Lane)((unsigned)x + (unsigned)y);
}

#define __KATA_DPX_3(name, Word, Lane, value)                                            \
  static __KATA_INLINE Word name(Word a, Word b, Word c) {                               \
    return (Word)__kata_dpx<Lane>((unsigned)a, (unsigned)b, (unsigned)c,                 \
                                  [](Lane x, Lane y, Lane z) -> Lane { return value; }); \
  }
#define __KATA_DPX_OF(which, type, Word, Lane)                                                     \
  __KATA_DPX_3(__vi##which##3_##type, Word, Lane, __kata_dpx_##which(__kata_dpx_##which(x, y), z)) \
  __KATA_DPX_3(__viadd##which##_##type, Word, Lane, __kata_dpx_##which(__kata_dpx_sum(x, y), z))
/// Which are at least 0.
#define __KATA_DPX_RELU(which, type, Word, Lane)                                         \
  __KATA_DPX_3(__vi##which##3_##type##_relu, Word, Lane,                                 \
               __kata_dpx_max(__kata_dpx_##which(__kata_dpx_##which(x, y), z), (Lane)0)) \
  __KATA_DPX_3(__viadd##which##_##type##_relu, Word, Lane,                               \
               __kata_dpx_max(__kata_dpx_##which(__kata_dpx_sum(x, y), z), (Lane)0))     \
  static __KATA_INLINE Word __vi##which##_##type##_relu(Word a, Word b) {                \
    return __vi##which##3_##type##_relu(a, b, b);                                        \
  }
/// With a flag that says whether it is the first: of both if they are equal.
#define __KATA_DPX_FLAG(which, op, type, Word)                                      \
  static __KATA_INLINE Word __vib##which##_##type(Word a, Word b, bool* is_first) { \
    *is_first = a op b;                                                             \
    return __kata_dpx_##which(a, b);                                                \
  }
#define __KATA_DPX_FLAGS(which, op, type, Lane)                                           \
  static __KATA_INLINE unsigned __vib##which##_##type(unsigned a, unsigned b, bool* high, \
                                                      bool* low) {                        \
    *high = (Lane)(a >> 16) op(Lane)(b >> 16);                                            \
    *low = (Lane)a op(Lane) b;                                                            \
    return __vi##which##3_##type(a, b, b);                                                \
  }
#define __KATA_DPX(which, op)                           \
  __KATA_DPX_OF(which, s32, int, int)                   \
  __KATA_DPX_OF(which, u32, unsigned, unsigned)         \
  __KATA_DPX_OF(which, s16x2, unsigned, short)          \
  __KATA_DPX_OF(which, u16x2, unsigned, unsigned short) \
  __KATA_DPX_RELU(which, s32, int, int)                 \
  __KATA_DPX_RELU(which, s16x2, unsigned, short)        \
  __KATA_DPX_FLAG(which, op, s32, int)                  \
  __KATA_DPX_FLAG(which, op, u32, unsigned)             \
  __KATA_DPX_FLAGS(which, op, s16x2, short)             \
  __KATA_DPX_FLAGS(which, op, u16x2, unsigned short)

__KATA_DPX(max, >=)
__KATA_DPX(min, <=)

#undef __KATA_DPX
#undef __KATA_DPX_FLAGS
#undef __KATA_DPX_FLAG
#undef __KATA_DPX_RELU
#undef __KATA_DPX_OF
#undef __KATA_DPX_3
