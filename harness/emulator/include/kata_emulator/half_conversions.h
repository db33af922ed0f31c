// Conversions that __half and __nv_bfloat16 have alike but for the type's name in them. cuda_fp16.h
// and cuda_bf16.h include this file, each for its own types: no #pragma once.
//
// __KATA_T, __KATA_T2, __KATA_FORMAT   as in half_functions.h
// __KATA_TYPE_NAME(before, after)           a function's name: before##half##after
// __KATA_PAIR_NAME(before, after)          the same with the pair's name: half2
#pragma GCC system_header

__KATA_HALF __KATA_T __KATA_TYPE_NAME(__ushort_as_, )(unsigned short x) {
  __KATA_T bits;
  bits.__x = x;
  return bits;
}
__KATA_HALF __KATA_T __KATA_TYPE_NAME(__short_as_, )(short x) {
  return __KATA_TYPE_NAME(__ushort_as_, )((unsigned short)x);
}
__KATA_HALF short __KATA_TYPE_NAME(__, _as_short)(__KATA_T x) {
  return (short)x.__x;
}
__KATA_HALF unsigned short __KATA_TYPE_NAME(__, _as_ushort)(__KATA_T x) {
  return x.__x;
}

// ---- numbers

// To nearest by the type's constructors, which are quick from float.
#define __KATA_HALF_NEAREST(word, suffix, Argument)                        \
  __KATA_HALF __KATA_T __KATA_TYPE_NAME(__##word##2, suffix)(Argument x) { \
    return __KATA_T(x);                                                    \
  }
#define __KATA_HALF_FROM(word, suffix, Argument, Wide, direction)                             \
  __KATA_HALF __KATA_T __KATA_TYPE_NAME(__##word##2, suffix)(Argument x) {                    \
    return __KATA_TYPE_NAME(__ushort_as_, )(__KATA_FORMAT::of((Wide)x, ::__kata::direction)); \
  }
#define __KATA_HALF_FROM_ALL(word, Argument, Wide)          \
  __KATA_HALF_NEAREST(word, _rn, Argument)                  \
  __KATA_HALF_FROM(word, _rz, Argument, Wide, towards_zero) \
  __KATA_HALF_FROM(word, _rd, Argument, Wide, downwards)    \
  __KATA_HALF_FROM(word, _ru, Argument, Wide, upwards)
__KATA_HALF_FROM_ALL(float, float, float)
__KATA_HALF_FROM_ALL(int, int, long long)
__KATA_HALF_FROM_ALL(uint, unsigned, unsigned long long)
__KATA_HALF_FROM_ALL(short, short, long long)
__KATA_HALF_FROM_ALL(ushort, unsigned short, unsigned long long)
__KATA_HALF_FROM_ALL(ll, long long, long long)
__KATA_HALF_FROM_ALL(ull, unsigned long long, unsigned long long)
__KATA_HALF_NEAREST(float, , float)
__KATA_HALF_NEAREST(double, , double)
#undef __KATA_HALF_NEAREST
#undef __KATA_HALF_FROM_ALL
#undef __KATA_HALF_FROM

#define __KATA_HALF_TO(word, suffix, Integer, direction)                  \
  __KATA_HALF Integer __KATA_TYPE_NAME(__, 2##word##suffix)(__KATA_T x) { \
    return ::__kata::integer_from<Integer>(x, ::__kata::direction);       \
  }
#define __KATA_HALF_TO_ALL(word, Integer)             \
  __KATA_HALF_TO(word, _rn, Integer, to_nearest_even) \
  __KATA_HALF_TO(word, _rz, Integer, towards_zero)    \
  __KATA_HALF_TO(word, _rd, Integer, downwards)       \
  __KATA_HALF_TO(word, _ru, Integer, upwards)
__KATA_HALF_TO_ALL(int, int)
__KATA_HALF_TO_ALL(uint, unsigned)
__KATA_HALF_TO_ALL(short, short)
__KATA_HALF_TO_ALL(ushort, unsigned short)
__KATA_HALF_TO_ALL(ll, long long)
__KATA_HALF_TO_ALL(ull, unsigned long long)
__KATA_HALF_TO(char, _rz, signed char, towards_zero)
__KATA_HALF_TO(uchar, _rz, unsigned char, towards_zero)
#undef __KATA_HALF_TO_ALL
#undef __KATA_HALF_TO

__KATA_HALF float __KATA_TYPE_NAME(__, 2float)(__KATA_T x) {
  return x;
}

// ---- pairs

__KATA_HALF __KATA_T2 __KATA_PAIR_NAME(make_, )(__KATA_T x, __KATA_T y) {
  return __KATA_T2(x, y);
}
__KATA_HALF __KATA_T2 __KATA_PAIR_NAME(__halves2, )(__KATA_T x, __KATA_T y) {
  return __KATA_T2(x, y);
}
__KATA_HALF __KATA_T2 __KATA_PAIR_NAME(__KATA_TYPE_NAME(__, 2), )(__KATA_T x) {
  return __KATA_T2(x, x);
}
__KATA_HALF __KATA_T2 __KATA_PAIR_NAME(__float2, _rn)(float x) {
  return __KATA_T2(x, x);
}
__KATA_HALF __KATA_T2 __KATA_PAIR_NAME(__floats2, _rn)(float x, float y) {
  return __KATA_T2(x, y);
}
__KATA_HALF __KATA_T2 __KATA_PAIR_NAME(__float22, _rn)(float2 v) {
  return __KATA_T2(v.x, v.y);
}
__KATA_HALF float2 __KATA_PAIR_NAME(__, 2float2)(__KATA_T2 v) {
  return make_float2(v.x, v.y);
}
__KATA_HALF __KATA_T __KATA_TYPE_NAME(__low2, )(__KATA_T2 v) {
  return v.x;
}
__KATA_HALF __KATA_T __KATA_TYPE_NAME(__high2, )(__KATA_T2 v) {
  return v.y;
}
__KATA_HALF __KATA_T2 __KATA_PAIR_NAME(__low2, )(__KATA_T2 v) {
  return __KATA_T2(v.x, v.x);
}
__KATA_HALF __KATA_T2 __KATA_PAIR_NAME(__high2, )(__KATA_T2 v) {
  return __KATA_T2(v.y, v.y);
}
__KATA_HALF __KATA_T2 __KATA_PAIR_NAME(__lows2, )(__KATA_T2 a, __KATA_T2 b) {
  return __KATA_T2(a.x, b.x);
}
__KATA_HALF __KATA_T2 __KATA_PAIR_NAME(__highs2, )(__KATA_T2 a, __KATA_T2 b) {
  return __KATA_T2(a.y, b.y);
}

#undef __KATA_TYPE_NAME
#undef __KATA_PAIR_NAME
#undef __KATA_T
#undef __KATA_T2
#undef __KATA_RAW
#undef __KATA_RAW2
#undef __KATA_FORMAT
