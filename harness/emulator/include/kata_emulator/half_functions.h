// The functions that __half and __nv_bfloat16 have alike. cuda_fp16.h and cuda_bf16.h include this
// file, each for its own types: no #pragma once.
//
// __KATA_T, __KATA_T2       the type and the pair of two
// __KATA_RAW, __KATA_RAW2   their bits
// __KATA_FORMAT             its Float16, of kata_emulator/half_rounding.h
// __KATA_ATOMIC, _ATOMIC2   the types' names in kata_emulator/abi.h
#pragma GCC system_header

struct __attribute__((aligned(4))) __KATA_T2 {
  __KATA_T x, y;

  __KATA_T2() = default;
  __KATA_T2(__KATA_T a, __KATA_T b) : x(a), y(b) {}
  __KATA_T2(const __KATA_RAW2& raw) : x(__KATA_RAW{raw.x}), y(__KATA_RAW{raw.y}) {}
  operator __KATA_RAW2() const { return {x.__x, y.__x}; }
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

// Never joined with another operation (_rn); limited to [0, 1], NaN becoming 0 (_sat).
#define __KATA_HALF_VARIANTS(name, op)                            \
  __KATA_HALF __KATA_T name##_rn(__KATA_T a, __KATA_T b) {        \
    return name(a, b);                                            \
  }                                                               \
  __KATA_HALF __KATA_T2 name##2_rn(__KATA_T2 a, __KATA_T2 b) {    \
    return name##2(a, b);                                         \
  }                                                               \
  __KATA_HALF __KATA_T name##_sat(__KATA_T a, __KATA_T b) {       \
    return __KATA_T(__saturatef((float)a op(float) b));           \
  }                                                               \
  __KATA_HALF __KATA_T2 name##2_sat(__KATA_T2 a, __KATA_T2 b) {   \
    return __KATA_T2(name##_sat(a.x, b.x), name##_sat(a.y, b.y)); \
  }
__KATA_HALF_VARIANTS(__hadd, +)
__KATA_HALF_VARIANTS(__hsub, -)
__KATA_HALF_VARIANTS(__hmul, *)
#undef __KATA_HALF_VARIANTS

// `name` holds for the floats x and y. With a NaN, __hlt and the like are false, and __hltu and the
// like ("unordered") true.
#define __KATA_HALF_COMPARE(name, holds)                                                    \
  __KATA_HALF bool __h##name(__KATA_T a, __KATA_T b) {                                      \
    const float x = a, y = b;                                                               \
    return holds;                                                                           \
  }                                                                                         \
  __KATA_HALF __KATA_T2 __h##name##2(__KATA_T2 a, __KATA_T2 b) {                            \
    return __KATA_T2(__KATA_T(__h##name(a.x, b.x) ? 1.0f : 0.0f),                           \
                     __KATA_T(__h##name(a.y, b.y) ? 1.0f : 0.0f));                          \
  }                                                                                         \
  __KATA_HALF unsigned __h##name##2_mask(__KATA_T2 a, __KATA_T2 b) {                        \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u); \
  }                                                                                         \
  __KATA_HALF bool __hb##name##2(__KATA_T2 a, __KATA_T2 b) {                                \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                      \
  }
__KATA_HALF_COMPARE(eq, x == y)
__KATA_HALF_COMPARE(ne, x<y || x> y)
__KATA_HALF_COMPARE(lt, x < y)
__KATA_HALF_COMPARE(le, x <= y)
__KATA_HALF_COMPARE(gt, x > y)
__KATA_HALF_COMPARE(ge, x >= y)
__KATA_HALF_COMPARE(equ, !(x < y || x > y))
__KATA_HALF_COMPARE(neu, !(x == y))
__KATA_HALF_COMPARE(ltu, !(x >= y))
__KATA_HALF_COMPARE(leu, !(x > y))
__KATA_HALF_COMPARE(gtu, !(x <= y))
__KATA_HALF_COMPARE(geu, !(x < y))
#undef __KATA_HALF_COMPARE

#define __KATA_HALF_OPERATOR(op, name)                                   \
  __KATA_HALF bool operator op(const __KATA_T& a, const __KATA_T& b) {   \
    return __h##name(a, b);                                              \
  }                                                                      \
  __KATA_HALF bool operator op(const __KATA_T2& a, const __KATA_T2& b) { \
    return __hb##name##2(a, b);                                          \
  }
__KATA_HALF_OPERATOR(==, eq)
__KATA_HALF_OPERATOR(!=, neu)
__KATA_HALF_OPERATOR(<, lt)
__KATA_HALF_OPERATOR(<=, le)
__KATA_HALF_OPERATOR(>, gt)
__KATA_HALF_OPERATOR(>=, ge)
#undef __KATA_HALF_OPERATOR

__KATA_HALF bool __hisnan(__KATA_T a) {
  return (a.__x & 0x7fffu) > __KATA_FORMAT::infinity;
}
__KATA_HALF __KATA_T2 __hisnan2(__KATA_T2 a) {
  return __KATA_T2(__KATA_T(__hisnan(a.x) ? 1.0f : 0.0f), __KATA_T(__hisnan(a.y) ? 1.0f : 0.0f));
}
__KATA_HALF int __hisinf(__KATA_T a) {
  if ((a.__x & 0x7fffu) != __KATA_FORMAT::infinity) return 0;
  return a.__x & 0x8000 ? -1 : 1;
}

__KATA_HALF __KATA_T __hneg(__KATA_T a) {
  a.__x = (unsigned short)(__hisnan(a) ? __KATA_FORMAT::nan : a.__x ^ 0x8000u);
  return a;
}
__KATA_HALF __KATA_T __habs(__KATA_T a) {
  a.__x = (unsigned short)(__hisnan(a) ? __KATA_FORMAT::nan : a.__x & 0x7fffu);
  return a;
}
__KATA_HALF __KATA_T operator-(const __KATA_T& a) {
  return __hneg(a);
}
__KATA_HALF __KATA_T operator+(const __KATA_T& a) {
  return a;
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

__KATA_HALF __KATA_T __hfma(__KATA_T a, __KATA_T b, __KATA_T c) {
  return ::__kata::result_of<__KATA_T, __KATA_FORMAT>(
      ::__kata::fma_to_odd((float)a, (float)b, (float)c));
}
__KATA_HALF __KATA_T __hfma_sat(__KATA_T a, __KATA_T b, __KATA_T c) {
  const float sum = __hfma(a, b, c);
  return __KATA_T(__saturatef(sum));
}
/// Zero for what is negative; a NaN stays.
__KATA_HALF __KATA_T __hfma_relu(__KATA_T a, __KATA_T b, __KATA_T c) {
  const __KATA_T sum = __hfma(a, b, c);
  return sum.__x & 0x8000 ? __KATA_T(0.0f) : sum;
}
#define __KATA_HALF_FMA2(name, of_one)                                \
  __KATA_HALF __KATA_T2 name(__KATA_T2 a, __KATA_T2 b, __KATA_T2 c) { \
    return __KATA_T2(of_one(a.x, b.x, c.x), of_one(a.y, b.y, c.y));   \
  }
__KATA_HALF_FMA2(__hfma2, __hfma)
__KATA_HALF_FMA2(__hfma2_sat, __hfma_sat)
__KATA_HALF_FMA2(__hfma2_relu, __hfma_relu)
#undef __KATA_HALF_FMA2
/// a * b + c of complex numbers.
__KATA_HALF __KATA_T2 __hcmadd(__KATA_T2 a, __KATA_T2 b, __KATA_T2 c) {
  return __KATA_T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),
                   __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

// A NaN loses against a number; of the _nan forms it wins. -0 is less than 0.
__KATA_HALF __KATA_T __hmax(__KATA_T a, __KATA_T b) {
  if (__hisnan(a) || __hisnan(b))
    return __hisnan(a) && __hisnan(b) ? __habs(a) : __hisnan(a) ? b : a;
  return (float)a > (float)b || ((float)a == (float)b && !(a.__x & 0x8000)) ? a : b;
}
__KATA_HALF __KATA_T __hmin(__KATA_T a, __KATA_T b) {
  if (__hisnan(a) || __hisnan(b))
    return __hisnan(a) && __hisnan(b) ? __habs(a) : __hisnan(a) ? b : a;
  return (float)a < (float)b || ((float)a == (float)b && (a.__x & 0x8000)) ? a : b;
}
__KATA_HALF __KATA_T __hmax_nan(__KATA_T a, __KATA_T b) {
  return __hisnan(a) ? __habs(a) : __hisnan(b) ? __habs(b) : __hmax(a, b);
}
__KATA_HALF __KATA_T __hmin_nan(__KATA_T a, __KATA_T b) {
  return __hisnan(a) ? __habs(a) : __hisnan(b) ? __habs(b) : __hmin(a, b);
}
#define __KATA_HALF_OF_PAIRS(name, of_one)                \
  __KATA_HALF __KATA_T2 name(__KATA_T2 a, __KATA_T2 b) {  \
    return __KATA_T2(of_one(a.x, b.x), of_one(a.y, b.y)); \
  }
__KATA_HALF_OF_PAIRS(__hmax2, __hmax)
__KATA_HALF_OF_PAIRS(__hmin2, __hmin)
__KATA_HALF_OF_PAIRS(__hmax2_nan, __hmax_nan)
__KATA_HALF_OF_PAIRS(__hmin2_nan, __hmin_nan)
#undef __KATA_HALF_OF_PAIRS

// In double: a result that float has rounded, and that is rounded again, is off by one now and
// then.
#define __KATA_HALF_FUNCTION(name, function)                                         \
  __KATA_HALF __KATA_T h##name(__KATA_T a) {                                         \
    return ::__kata::result_of<__KATA_T, __KATA_FORMAT>(function((double)(float)a)); \
  }                                                                                  \
  __KATA_HALF __KATA_T2 h2##name(__KATA_T2 a) {                                      \
    return __KATA_T2(h##name(a.x), h##name(a.y));                                    \
  }
__KATA_HALF_FUNCTION(exp, ::exp)
__KATA_HALF_FUNCTION(exp2, ::exp2)
__KATA_HALF_FUNCTION(exp10, ::exp10)
__KATA_HALF_FUNCTION(log, ::log)
__KATA_HALF_FUNCTION(log2, ::log2)
__KATA_HALF_FUNCTION(log10, ::log10)
__KATA_HALF_FUNCTION(sqrt, ::sqrt)
__KATA_HALF_FUNCTION(rsqrt, ::rsqrt)
__KATA_HALF_FUNCTION(rcp, 1.0 /)
__KATA_HALF_FUNCTION(sin, ::sin)
__KATA_HALF_FUNCTION(cos, ::cos)
__KATA_HALF_FUNCTION(floor, ::floor)
__KATA_HALF_FUNCTION(ceil, ::ceil)
__KATA_HALF_FUNCTION(trunc, ::trunc)
__KATA_HALF_FUNCTION(rint, ::rint)
__KATA_HALF_FUNCTION(tanh, ::tanh)
__KATA_HALF_FUNCTION(tanh_approx, ::tanh)
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

#undef __KATA_ATOMIC
#undef __KATA_ATOMIC2
