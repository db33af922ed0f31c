#pragma once
#pragma GCC system_header
// Bits, conversions, cached loads and stores, and the few other intrinsics.

#include <math.h>
#include <stdint.h>

#include "abi.h"
#include "device_math.h"
#include "warp.h"

#define __KATA_FUNCTION static __KATA_INLINE

// ---- bits

__KATA_FUNCTION int __popc(unsigned x) {
  return __builtin_popcount(x);
}
__KATA_FUNCTION int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
__KATA_FUNCTION int __clz(int x) {
  return x ? __builtin_clz((unsigned)x) : 32;
}
__KATA_FUNCTION int __clzll(long long x) {
  return x ? __builtin_clzll((unsigned long long)x) : 64;
}
__KATA_FUNCTION int __ffs(int x) {
  return __builtin_ffs(x);
}
__KATA_FUNCTION int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
__KATA_FUNCTION unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
__KATA_FUNCTION unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
__KATA_FUNCTION unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = (unsigned long long)y << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    result |= (unsigned)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  }
  return result;
}
__KATA_FUNCTION unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
__KATA_FUNCTION unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
__KATA_FUNCTION unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
__KATA_FUNCTION unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
/// Position of the n-th set bit from `base`, upward for n > 0, downward for n < 0; else ~0.
__KATA_FUNCTION unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return mask >> (base & 31) & 1 ? base : 0xffffffffu;
  const int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? offset : -offset;
  for (int i = (int)base; i >= 0 && i < 32; i += step) {
    if ((mask >> i & 1) && --left == 0) return (unsigned)i;
  }
  return 0xffffffffu;
}

// ---- integers

__KATA_FUNCTION int __mul24(int x, int y) {
  return (x << 8 >> 8) * (y << 8 >> 8);
}
__KATA_FUNCTION unsigned __umul24(unsigned x, unsigned y) {
  return (x & 0xffffffu) * (y & 0xffffffu);
}
__KATA_FUNCTION int __mulhi(int x, int y) {
  return (int)((long long)x * y >> 32);
}
__KATA_FUNCTION unsigned __umulhi(unsigned x, unsigned y) {
  return (unsigned)((unsigned long long)x * y >> 32);
}
__KATA_FUNCTION long long __mul64hi(long long x, long long y) {
  return (long long)((__int128)x * y >> 64);
}
__KATA_FUNCTION unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)((unsigned __int128)x * y >> 64);
}
__KATA_FUNCTION unsigned __sad(int x, int y, unsigned z) {
  return (unsigned)(x > y ? (long long)x - y : (long long)y - x) + z;
}
__KATA_FUNCTION unsigned __usad(unsigned x, unsigned y, unsigned z) {
  return (x > y ? x - y : y - x) + z;
}
__KATA_FUNCTION int __rhadd(int x, int y) {
  return (int)(((long long)x + y + 1) >> 1);
}
__KATA_FUNCTION int __hadd(int x, int y) {
  return (int)(((long long)x + y) >> 1);
}
__KATA_FUNCTION unsigned __uhadd(unsigned x, unsigned y) {
  return (unsigned)(((unsigned long long)x + y) >> 1);
}
__KATA_FUNCTION unsigned __urhadd(unsigned x, unsigned y) {
  return (unsigned)(((unsigned long long)x + y + 1) >> 1);
}
__KATA_FUNCTION int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) c += (signed char)(a >> i) * (signed char)(b >> i);
  return c;
}
__KATA_FUNCTION unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 0xff) * (b >> i & 0xff);
  return c;
}

// ---- the same bits as another type

#define __KATA_SAME_BITS(name, To, From)           \
  __KATA_FUNCTION To name(From value) {            \
    To result;                                     \
    __builtin_memcpy(&result, &value, sizeof(To)); \
    return result;                                 \
  }
__KATA_SAME_BITS(__float_as_int, int, float)
__KATA_SAME_BITS(__float_as_uint, unsigned, float)
__KATA_SAME_BITS(__int_as_float, float, int)
__KATA_SAME_BITS(__uint_as_float, float, unsigned)
__KATA_SAME_BITS(__double_as_longlong, long long, double)
__KATA_SAME_BITS(__longlong_as_double, double, long long)
__KATA_FUNCTION int __double2hiint(double x) {
  return (int)(__double_as_longlong(x) >> 32);
}
__KATA_FUNCTION int __double2loint(double x) {
  return (int)__double_as_longlong(x);
}
__KATA_FUNCTION double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)high << 32 | (unsigned)low);
}

// ---- conversions, rounded as named; out of range they saturate, and NaN becomes 0

namespace __kata {

template <class To, class From>
__KATA_INLINE To saturated(From value) {
  constexpr bool is_signed = (To)-1 < (To)0;
  constexpr int bits = (int)sizeof(To) * 8 - is_signed;
  const From limit = (From)(1ull << (bits - 1)) * 2;
  constexpr To highest = (To)(~0ull >> (64 - bits));
  if (value != value) return 0;
  if (value >= limit) return highest;
  if (value <= (is_signed ? -limit : (From)0)) return is_signed ? (To)(-highest - 1) : (To)0;
  return (To)value;
}

}  // namespace __kata

#define __KATA_TO_INTEGER(from, From, to, To, rint_, trunc_, ceil_, floor_) \
  __KATA_FUNCTION To __##from##2##to##_rn(From x) {                         \
    return ::__kata::saturated<To>(rint_(x));                               \
  }                                                                         \
  __KATA_FUNCTION To __##from##2##to##_rz(From x) {                         \
    return ::__kata::saturated<To>(trunc_(x));                              \
  }                                                                         \
  __KATA_FUNCTION To __##from##2##to##_ru(From x) {                         \
    return ::__kata::saturated<To>(ceil_(x));                               \
  }                                                                         \
  __KATA_FUNCTION To __##from##2##to##_rd(From x) {                         \
    return ::__kata::saturated<To>(floor_(x));                              \
  }
#define __KATA_TO_INTEGERS(from, From, rint_, trunc_, ceil_, floor_)          \
  __KATA_TO_INTEGER(from, From, int, int, rint_, trunc_, ceil_, floor_)       \
  __KATA_TO_INTEGER(from, From, uint, unsigned, rint_, trunc_, ceil_, floor_) \
  __KATA_TO_INTEGER(from, From, ll, long long, rint_, trunc_, ceil_, floor_)  \
  __KATA_TO_INTEGER(from, From, ull, unsigned long long, rint_, trunc_, ceil_, floor_)
__KATA_TO_INTEGERS(float, float, rintf, truncf, ceilf, floorf)
__KATA_TO_INTEGERS(double, double, rint, trunc, ceil, floor)

#define __KATA_TO_FLOATING(from, From, to, To, suffix, mode) \
  __KATA_FUNCTION To __##from##2##to##suffix(From x) {       \
    ::__kata::Rounding<mode> r;                              \
    __asm__ volatile("" : "+m"(x));                          \
    return ::__kata::opaque((To)x);                          \
  }
#define __KATA_TO_FLOATINGS(from, From, to, To)              \
  __KATA_TO_FLOATING(from, From, to, To, _rn, FE_TONEAREST)  \
  __KATA_TO_FLOATING(from, From, to, To, _rz, FE_TOWARDZERO) \
  __KATA_TO_FLOATING(from, From, to, To, _ru, FE_UPWARD)     \
  __KATA_TO_FLOATING(from, From, to, To, _rd, FE_DOWNWARD)
__KATA_TO_FLOATINGS(int, int, float, float)
__KATA_TO_FLOATINGS(uint, unsigned, float, float)
__KATA_TO_FLOATINGS(ll, long long, float, float)
__KATA_TO_FLOATINGS(ull, unsigned long long, float, float)
__KATA_TO_FLOATINGS(ll, long long, double, double)
__KATA_TO_FLOATINGS(ull, unsigned long long, double, double)
__KATA_TO_FLOATINGS(double, double, float, float)
__KATA_FUNCTION double __int2double_rn(int x) {
  return x;
}
__KATA_FUNCTION double __uint2double_rn(unsigned x) {
  return x;
}

// ---- loads and stores with a cache hint: plain ones, always inlined so that they keep their line

#define __KATA_LOAD(name)               \
  template <class T>                    \
  __KATA_INLINE T name(const T* from) { \
    return *from;                       \
  }
template <class T>
__KATA_INLINE T __ldg(const T* from) {
  __kata_read_only(from, sizeof(T));
  return *from;
}
__KATA_LOAD(__ldcg)
__KATA_LOAD(__ldca)
__KATA_LOAD(__ldcs)
__KATA_LOAD(__ldlu)
__KATA_LOAD(__ldcv)

namespace __kata {
template <class T>
struct Same {
  typedef T type;
};
}  // namespace __kata

#define __KATA_STORE(name)                                                 \
  template <class T>                                                       \
  __KATA_INLINE void name(T* to, typename ::__kata::Same<T>::type value) { \
    *to = value;                                                           \
  }
__KATA_STORE(__stcg)
__KATA_STORE(__stcs)
__KATA_STORE(__stwb)
__KATA_STORE(__stwt)

// ---- the rest

__KATA_FUNCTION void __trap(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  __kata_trap("__trap()", file, line);
}
__KATA_FUNCTION void __brkpt() {}
__KATA_FUNCTION void __prof_trigger(int) {}
__KATA_FUNCTION size_t __cvta_generic_to_shared(const void* pointer) {
  return __kata_shared_address(pointer);
}
__KATA_FUNCTION void* __cvta_shared_to_generic(size_t address) {
  return __kata_shared_pointer(address);
}
__KATA_FUNCTION unsigned __isShared(const void* pointer) {
  return (unsigned)__kata_is_shared(pointer);
}
/// Its own locals lie below the frame, those of callers above it.
__KATA_FUNCTION unsigned __isLocal(const void* pointer) {
  const size_t near = 1 << 16;
  return (size_t)pointer - (size_t)__builtin_frame_address(0) + near < 2 * near;
}
__KATA_FUNCTION unsigned __isGlobal(const void* pointer) {
  return pointer && !__isShared(pointer) && !__isLocal(pointer);
}
__KATA_FUNCTION size_t __cvta_generic_to_global(const void* pointer) {
  return (size_t)pointer;
}
__KATA_FUNCTION void* __cvta_global_to_generic(size_t address) {
  return (void*)address;
}
__KATA_FUNCTION void __nanosleep(unsigned) {
  __kata_sleep();
}
#ifndef __clang__
#define __builtin_assume(condition) ((void)0)
#endif
