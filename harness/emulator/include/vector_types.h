#pragma once
#pragma GCC system_header
// CUDA's vector types. A copy of a 4-, 8- or 16-byte vector must be ONE access of the full width,
// as it is on the device; compilers split the copy of a trivial struct into its scalars, so copies
// here go through one vector-typed member, which passes an empty asm so that it stays whole.

#include "kata_emulator/letters_begin.h"

#include <stddef.h>

#include "kata_emulator/in_union.h"

namespace __kata {

template <size_t bytes>
struct Whole {
  template <class V>
  static inline __attribute__((always_inline)) V copy(V value) {
    __asm__("" : "+r"(value));
    return value;
  }
};
template <>
struct Whole<16> {
  template <class V>
  static inline __attribute__((always_inline)) V copy(V value) {
    __asm__("" : "+x"(value));
    return value;
  }
};
template <>
struct Whole<2> {
  template <class V>
  static inline __attribute__((always_inline)) V copy(V value) {
    return value;
  }
};

/// Lets `float4 v = {1.0f}` compile, and not `float4 v = 1.0f`, which nvcc refuses too.
template <class T>
struct First {
  T value;
  constexpr First(T v) : value(v) {}
};

typedef unsigned short Bits16;
typedef unsigned Bits32;
typedef unsigned long long Bits64;
typedef float Bits128f __attribute__((vector_size(16)));
typedef unsigned Bits128i __attribute__((vector_size(16)));
typedef unsigned long long Bits128l __attribute__((vector_size(16)));

}  // namespace __kata

#define __KATA_INLINE inline __attribute__((always_inline))
#ifdef __KATA_EDITOR  // has no rewriter to make unions of them copyable, and nothing to count
#define __KATA_WHOLE_COPY(name, bits)
#else
#define __KATA_WHOLE_COPY(name, bits)                                  \
  __attribute__((always_inline)) name(const name& other)               \
      : __whole(::__kata::Whole<sizeof(bits)>::copy(other.__whole)) {} \
  __attribute__((always_inline)) name& operator=(const name& other) {  \
    __whole = ::__kata::Whole<sizeof(bits)>::copy(other.__whole);      \
    return *this;                                                      \
  }
#endif

// For unions: see in_union.h.
#define __KATA_TO_PLAIN(...)                                    \
  __attribute__((always_inline)) operator __VA_ARGS__() const { \
    __VA_ARGS__ plain;                                          \
    plain = *this;                                              \
    return plain;                                               \
  }

#define __KATA_VECTOR2(name, T, bits)                          \
  struct __attribute__((aligned(sizeof(bits)))) name {         \
    union {                                                    \
      struct {                                                 \
        T x, y;                                                \
      };                                                       \
      bits __whole;                                            \
    };                                                         \
    name() = default;                                          \
    constexpr name(::__kata::First<T> a) : x(a.value), y(0) {} \
    constexpr name(T a, T b) : x(a), y(b) {}                   \
    __KATA_WHOLE_COPY(name, bits)                              \
    __KATA_TO_PLAIN(::__kata::Plain2<name, T>)                 \
  };                                                           \
  namespace __kata {                                           \
  template <>                                                  \
  struct InUnionOf<name> {                                     \
    typedef Plain2<name, T> type;                              \
  };                                                           \
  }

#define __KATA_VECTOR4(name, T, bits)                                      \
  struct __attribute__((aligned(sizeof(bits)))) name {                     \
    union {                                                                \
      struct {                                                             \
        T x, y, z, w;                                                      \
      };                                                                   \
      bits __whole;                                                        \
    };                                                                     \
    name() = default;                                                      \
    constexpr name(::__kata::First<T> a) : x(a.value), y(0), z(0), w(0) {} \
    constexpr name(T a, T b) : x(a), y(b), z(0), w(0) {}                   \
    constexpr name(T a, T b, T c) : x(a), y(b), z(c), w(0) {}              \
    constexpr name(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {}         \
    __KATA_WHOLE_COPY(name, bits)                                          \
    __KATA_TO_PLAIN(::__kata::Plain4<name, T>)                             \
  };                                                                       \
  namespace __kata {                                                       \
  template <>                                                              \
  struct InUnionOf<name> {                                                 \
    typedef Plain4<name, T> type;                                          \
  };                                                                       \
  }

// 32 bytes: the device moves them as two 16-byte accesses.
#define __KATA_VECTOR4_WIDE(name, T)                                        \
  struct __attribute__((aligned(16))) name {                                \
    union {                                                                 \
      struct {                                                              \
        T x, y, z, w;                                                       \
      };                                                                    \
      ::__kata::Bits128l __whole[2];                                        \
    };                                                                      \
    name() = default;                                                       \
    constexpr name(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {}          \
    __KATA_TO_PLAIN(::__kata::Plain4<name, T>)                              \
    __attribute__((always_inline)) name(const name& other) {                \
      __whole[0] = ::__kata::Whole<16>::copy(other.__whole[0]);             \
      __whole[1] = ::__kata::Whole<16>::copy(other.__whole[1]);             \
    }                                                                       \
    __attribute__((always_inline)) name& operator=(const name& other) {     \
      ::__kata::Bits128l low = ::__kata::Whole<16>::copy(other.__whole[0]); \
      __whole[1] = ::__kata::Whole<16>::copy(other.__whole[1]);             \
      __whole[0] = low;                                                     \
      return *this;                                                         \
    }                                                                       \
  };                                                                        \
  namespace __kata {                                                        \
  template <>                                                               \
  struct InUnionOf<name> {                                                  \
    typedef Plain4<name, T> type;                                           \
  };                                                                        \
  }

#define __KATA_VECTOR1(name, T) \
  struct name {                 \
    T x;                        \
  };
#define __KATA_VECTOR3(name, T) \
  struct name {                 \
    T x, y, z;                  \
  };

__KATA_VECTOR1(char1, signed char)
__KATA_VECTOR1(uchar1, unsigned char)
__KATA_VECTOR1(short1, short)
__KATA_VECTOR1(ushort1, unsigned short)
__KATA_VECTOR1(int1, int)
__KATA_VECTOR1(uint1, unsigned)
__KATA_VECTOR1(long1, long)
__KATA_VECTOR1(ulong1, unsigned long)
__KATA_VECTOR1(longlong1, long long)
__KATA_VECTOR1(ulonglong1, unsigned long long)
__KATA_VECTOR1(float1, float)
__KATA_VECTOR1(double1, double)

__KATA_VECTOR2(char2, signed char, ::__kata::Bits16)
__KATA_VECTOR2(uchar2, unsigned char, ::__kata::Bits16)
__KATA_VECTOR2(short2, short, ::__kata::Bits32)
__KATA_VECTOR2(ushort2, unsigned short, ::__kata::Bits32)
__KATA_VECTOR2(int2, int, ::__kata::Bits64)
__KATA_VECTOR2(uint2, unsigned, ::__kata::Bits64)
__KATA_VECTOR2(long2, long, ::__kata::Bits128l)
__KATA_VECTOR2(ulong2, unsigned long, ::__kata::Bits128l)
__KATA_VECTOR2(longlong2, long long, ::__kata::Bits128l)
__KATA_VECTOR2(ulonglong2, unsigned long long, ::__kata::Bits128l)
__KATA_VECTOR2(float2, float, ::__kata::Bits64)
__KATA_VECTOR2(double2, double, ::__kata::Bits128l)

__KATA_VECTOR3(char3, signed char)
__KATA_VECTOR3(uchar3, unsigned char)
__KATA_VECTOR3(short3, short)
__KATA_VECTOR3(ushort3, unsigned short)
__KATA_VECTOR3(int3, int)
__KATA_VECTOR3(uint3, unsigned)
__KATA_VECTOR3(long3, long)
__KATA_VECTOR3(ulong3, unsigned long)
__KATA_VECTOR3(longlong3, long long)
__KATA_VECTOR3(ulonglong3, unsigned long long)
__KATA_VECTOR3(float3, float)
__KATA_VECTOR3(double3, double)

__KATA_VECTOR4(char4, signed char, ::__kata::Bits32)
__KATA_VECTOR4(uchar4, unsigned char, ::__kata::Bits32)
__KATA_VECTOR4(short4, short, ::__kata::Bits64)
__KATA_VECTOR4(ushort4, unsigned short, ::__kata::Bits64)
__KATA_VECTOR4(int4, int, ::__kata::Bits128i)
__KATA_VECTOR4(uint4, unsigned, ::__kata::Bits128i)
__KATA_VECTOR4(float4, float, ::__kata::Bits128f)
__KATA_VECTOR4_WIDE(long4, long)
__KATA_VECTOR4_WIDE(ulong4, unsigned long)
__KATA_VECTOR4_WIDE(longlong4, long long)
__KATA_VECTOR4_WIDE(ulonglong4, unsigned long long)
__KATA_VECTOR4_WIDE(double4, double)

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};

#include "kata_emulator/letters_end.h"
