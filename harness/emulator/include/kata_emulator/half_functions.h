// The functions that __half and __nv_bfloat16 have alike. cuda_fp16.h and cuda_bf16.h include this
// file, each for its own types: no #pragma once.
//
// __KATA_T, __KATA_T2       the type and the pair of two
// __KATA_INFINITY_BITS      infinity of the type
// __KATA_ATOMIC, _ATOMIC2   the types' names in kata_emulator/abi.h
#pragma GCC system_header

struct __attribute__((aligned(4))) __KATA_T2 {
  __KATA_T x, y;

  __KATA_T2() = default;
  __KATA_T2(__KATA_T a, __KATA_T b) : x(a), y(b) {}
  __attribute__((always_inline)) __KATA_T2(const __KATA_T2& other) { __whole(other.__whole()); }
  __attribute__((always_inline)) __KATA_T2& operator=(const __KATA_T2& other) {
    __whole(other.__whole());
    return *this;
  }

  // Both at once: a copy is one access of 4 bytes.
  typedef unsigned __attribute__((may_alias)) Both;
  __KATA_INLINE unsigned __whole() const { return ::__kata::Whole<4>::copy(*(const Both*)this); }
  __KATA_INLINE void __whole(unsigned bits) { *(Both*)this = bits; }

  __KATA_TO_PLAIN(::__kata::Plain2<__KATA_T2, __KATA_T>)
};

namespace __kata {
template <>
struct InUnionOf<__KATA_T2> {
  typedef Plain2<__KATA_T2, __KATA_T> type;
};
}  // namespace __kata

// ---- the two of a pair

__KATA_HALF float __low2float(__KATA_T2 v) {
  return v.x;
}
__KATA_HALF float __high2float(__KATA_T2 v) {
  return v.y;
}
__KATA_HALF __KATA_T2 __lowhigh2highlow(__KATA_T2 v) {
  return __KATA_T2(v.y, v.x);
}

// ---- arithmetic and comparison, one by one and in pairs

#define __KATA_HALF_BINARY(name, name2, op)                                   \
  __KATA_HALF __KATA_T name(__KATA_T a, __KATA_T b) {                         \
    return __KATA_T((float)a op(float) b);                                    \
  }                                                                           \
  __KATA_HALF __KATA_T2 name2(__KATA_T2 a, __KATA_T2 b) {                     \
    return __KATA_T2(name(a.x, b.x), name(a.y, b.y));                         \
  }                                                                           \
  __KATA_HALF __KATA_T operator op(const __KATA_T& a, const __KATA_T& b) {    \
    return name(a, b);                                                        \
  }                                                                           \
  __KATA_HALF __KATA_T2 operator op(const __KATA_T2& a, const __KATA_T2& b) { \
    return name2(a, b);                                                       \
  }                                                                           \
  inline __KATA_T& __KATA_T::operator op##=(const __KATA_T& b) {              \
    return *this = name(*this, b);                                            \
  }                                                                           \
  __KATA_HALF __KATA_T2& operator op##=(__KATA_T2& a, const __KATA_T2& b) {   \
    return a = name2(a, b);                                                   \
  }
__KATA_HALF_BINARY(__hadd, __hadd2, +)
__KATA_HALF_BINARY(__hsub, __hsub2, -)
__KATA_HALF_BINARY(__hmul, __hmul2, *)
__KATA_HALF_BINARY(__hdiv, __h2div, /)
#undef __KATA_HALF_BINARY

#define __KATA_HALF_COMPARE(name, op)                                  \
  __KATA_HALF bool name(__KATA_T a, __KATA_T b) {                      \
    return (float)a op(float) b;                                       \
  }                                                                    \
  __KATA_HALF __KATA_T2 name##2(__KATA_T2 a, __KATA_T2 b) {            \
    return __KATA_T2(__KATA_T(name(a.x, b.x) ? 1.0f : 0.0f),           \
                     __KATA_T(name(a.y, b.y) ? 1.0f : 0.0f));          \
  }                                                                    \
  __KATA_HALF bool operator op(const __KATA_T& a, const __KATA_T& b) { \
    return name(a, b);                                                 \
  }
__KATA_HALF_COMPARE(__heq, ==)
__KATA_HALF_COMPARE(__hne, !=)
__KATA_HALF_COMPARE(__hlt, <)
__KATA_HALF_COMPARE(__hle, <=)
__KATA_HALF_COMPARE(__hgt, >)
__KATA_HALF_COMPARE(__hge, >=)
#undef __KATA_HALF_COMPARE

__KATA_HALF bool __hbeq2(__KATA_T2 a, __KATA_T2 b) {
  return __heq(a.x, b.x) && __heq(a.y, b.y);
}
__KATA_HALF bool __hblt2(__KATA_T2 a, __KATA_T2 b) {
  return __hlt(a.x, b.x) && __hlt(a.y, b.y);
}
__KATA_HALF bool __hbgt2(__KATA_T2 a, __KATA_T2 b) {
  return __hgt(a.x, b.x) && __hgt(a.y, b.y);
}

__KATA_HALF __KATA_T __hneg(__KATA_T a) {
  a.__x ^= 0x8000;
  return a;
}
__KATA_HALF __KATA_T __habs(__KATA_T a) {
  a.__x &= 0x7fff;
  return a;
}
__KATA_HALF __KATA_T operator-(const __KATA_T& a) {
  return __hneg(a);
}
__KATA_HALF __KATA_T2 __hneg2(__KATA_T2 a) {
  return __KATA_T2(__hneg(a.x), __hneg(a.y));
}
__KATA_HALF __KATA_T2 operator-(const __KATA_T2& a) {
  return __hneg2(a);
}
__KATA_HALF __KATA_T2 __habs2(__KATA_T2 a) {
  return __KATA_T2(__habs(a.x), __habs(a.y));
}
// In double: the exact product and sum, then one rounding that double cannot disturb.
__KATA_HALF __KATA_T __hfma(__KATA_T a, __KATA_T b, __KATA_T c) {
  return __KATA_T(fma((double)(float)a, (double)(float)b, (double)(float)c));
}
__KATA_HALF __KATA_T2 __hfma2(__KATA_T2 a, __KATA_T2 b, __KATA_T2 c) {
  return __KATA_T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
__KATA_HALF __KATA_T __hfma_relu(__KATA_T a, __KATA_T b, __KATA_T c) {
  const __KATA_T sum = __hfma(a, b, c);
  return (float)sum > 0 ? sum : __KATA_T(0.0f);
}
__KATA_HALF __KATA_T __hadd_sat(__KATA_T a, __KATA_T b) {
  return __KATA_T(__saturatef((float)a + (float)b));
}
__KATA_HALF __KATA_T __hmul_sat(__KATA_T a, __KATA_T b) {
  return __KATA_T(__saturatef((float)a * (float)b));
}
__KATA_HALF bool __hisnan(__KATA_T a) {
  return (a.__x & 0x7fff) > __KATA_INFINITY_BITS;
}
__KATA_HALF int __hisinf(__KATA_T a) {
  if ((a.__x & 0x7fff) != __KATA_INFINITY_BITS) return 0;
  return a.__x == __KATA_INFINITY_BITS ? 1 : -1;
}
__KATA_HALF __KATA_T __hmax(__KATA_T a, __KATA_T b) {
  return __KATA_T(fmaxf(a, b));
}
__KATA_HALF __KATA_T __hmin(__KATA_T a, __KATA_T b) {
  return __KATA_T(fminf(a, b));
}
__KATA_HALF __KATA_T2 __hmax2(__KATA_T2 a, __KATA_T2 b) {
  return __KATA_T2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
__KATA_HALF __KATA_T2 __hmin2(__KATA_T2 a, __KATA_T2 b) {
  return __KATA_T2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}

#define __KATA_HALF_FUNCTION(name, function)      \
  __KATA_HALF __KATA_T h##name(__KATA_T a) {      \
    return __KATA_T(function((float)a));          \
  }                                               \
  __KATA_HALF __KATA_T2 h2##name(__KATA_T2 a) {   \
    return __KATA_T2(h##name(a.x), h##name(a.y)); \
  }
__KATA_HALF_FUNCTION(exp, expf)
__KATA_HALF_FUNCTION(exp2, exp2f)
__KATA_HALF_FUNCTION(exp10, exp10f)
__KATA_HALF_FUNCTION(log, logf)
__KATA_HALF_FUNCTION(log2, log2f)
__KATA_HALF_FUNCTION(log10, log10f)
__KATA_HALF_FUNCTION(sqrt, sqrtf)
__KATA_HALF_FUNCTION(rsqrt, rsqrtf)
__KATA_HALF_FUNCTION(rcp, 1.0f /)
__KATA_HALF_FUNCTION(sin, sinf)
__KATA_HALF_FUNCTION(cos, cosf)
__KATA_HALF_FUNCTION(floor, floorf)
__KATA_HALF_FUNCTION(ceil, ceilf)
__KATA_HALF_FUNCTION(trunc, truncf)
__KATA_HALF_FUNCTION(rint, rintf)
__KATA_HALF_FUNCTION(tanh, tanhf)
#undef __KATA_HALF_FUNCTION

// ---- shuffles and atomic additions

#define __KATA_HALF_SHUFFLE(name, Argument)                                                       \
  __KATA_HALF __KATA_T name(unsigned mask, __KATA_T value, Argument argument, int width = 32) {   \
    value.__x = (unsigned short)name(mask, (unsigned)value.__x, argument, width);                 \
    return value;                                                                                 \
  }                                                                                               \
  __KATA_HALF __KATA_T2 name(unsigned mask, __KATA_T2 value, Argument argument, int width = 32) { \
    return ::__kata::from_bits<__KATA_T2>(name(mask, value.__whole(), argument, width));          \
  }
__KATA_HALF_SHUFFLE(__shfl_sync, int)
__KATA_HALF_SHUFFLE(__shfl_up_sync, unsigned)
__KATA_HALF_SHUFFLE(__shfl_down_sync, unsigned)
__KATA_HALF_SHUFFLE(__shfl_xor_sync, int)
#undef __KATA_HALF_SHUFFLE

__KATA_HALF __KATA_T atomicAdd(__KATA_T* address, __KATA_T value) {
  value.__x = (unsigned short)__kata_atomic(::__kata::atomic_add, ::__kata::__KATA_ATOMIC, address,
                                            value.__x, 0);
  return value;
}
__KATA_HALF __KATA_T2 atomicAdd(__KATA_T2* address, __KATA_T2 value) {
  return ::__kata::from_bits<__KATA_T2>(
      __kata_atomic(::__kata::atomic_add, ::__kata::__KATA_ATOMIC2, address, value.__whole(), 0));
}

#undef __KATA_T
#undef __KATA_T2
#undef __KATA_INFINITY_BITS
#undef __KATA_ATOMIC
#undef __KATA_ATOMIC2
