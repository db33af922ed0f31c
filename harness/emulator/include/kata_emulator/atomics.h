#pragma once
#pragma GCC system_header
// Atomic functions, overloaded as CUDA overloads them, so that arguments convert as under nvcc:
// atomicAdd(unsigned long long*, 1).

#include "warp.h"

namespace __kata {
/// Of a function's name.
constexpr bool is_of_block(const char* name) {
  while (*name && *name != '_') ++name;
  return name[0] == '_' && name[1] == 'b';
}
}  // namespace __kata

// scope: nothing, _block or _system. One process runs the whole grid: all come out right, and those
// of a block's scope say so.
#define __KATA_ATOMIC(name, op, T, type)                                                    \
  static __KATA_INLINE T name(T* address, T value) {                                        \
    if constexpr (::__kata::is_of_block(#name)) __kata_block_scope(address);                \
    return ::__kata::from_bits<T>(                                                          \
        __kata_atomic(::__kata::op, ::__kata::type, address, ::__kata::to_bits(value), 0)); \
  }
#define __KATA_ATOMIC_SUB(name, add, T)              \
  static __KATA_INLINE T name(T* address, T value) { \
    return add(address, (T)(0 - value));             \
  }
#define __KATA_ATOMIC_CAS(name, T, type)                                                       \
  static __KATA_INLINE T name(T* address, T compare, T value) {                                \
    if constexpr (::__kata::is_of_block(#name)) __kata_block_scope(address);                   \
    return ::__kata::from_bits<T>(__kata_atomic(::__kata::atomic_cas, ::__kata::type, address, \
                                                ::__kata::to_bits(value),                      \
                                                ::__kata::to_bits(compare)));                  \
  }

// Each element by itself, as on a device.
#define __KATA_ATOMIC_ADD_VECTOR(name, T)                                                     \
  static __KATA_INLINE T name(T* address, T value) {                                          \
    float* const to = reinterpret_cast<float*>(address);                                      \
    float* const part = reinterpret_cast<float*>(&value);                                     \
    for (unsigned i = 0; i < sizeof(T) / sizeof(float); ++i) part[i] = name(to + i, part[i]); \
    return value;                                                                             \
  }

#define __KATA_ATOMICS(scope)                                                 \
  __KATA_ATOMIC(atomicAdd##scope, atomic_add, int, type_i32)                  \
  __KATA_ATOMIC(atomicAdd##scope, atomic_add, unsigned, type_u32)             \
  __KATA_ATOMIC(atomicAdd##scope, atomic_add, unsigned long long, type_u64)   \
  __KATA_ATOMIC(atomicAdd##scope, atomic_add, float, type_f32)                \
  __KATA_ATOMIC(atomicAdd##scope, atomic_add, double, type_f64)               \
  __KATA_ATOMIC_SUB(atomicSub##scope, atomicAdd##scope, int)                  \
  __KATA_ATOMIC_SUB(atomicSub##scope, atomicAdd##scope, unsigned)             \
  __KATA_ATOMIC(atomicExch##scope, atomic_exch, int, type_i32)                \
  __KATA_ATOMIC(atomicExch##scope, atomic_exch, unsigned, type_u32)           \
  __KATA_ATOMIC(atomicExch##scope, atomic_exch, unsigned long long, type_u64) \
  __KATA_ATOMIC(atomicExch##scope, atomic_exch, float, type_f32)              \
  __KATA_ATOMIC(atomicMin##scope, atomic_min, int, type_i32)                  \
  __KATA_ATOMIC(atomicMin##scope, atomic_min, unsigned, type_u32)             \
  __KATA_ATOMIC(atomicMin##scope, atomic_min, unsigned long long, type_u64)   \
  __KATA_ATOMIC(atomicMin##scope, atomic_min, long long, type_i64)            \
  __KATA_ATOMIC(atomicMax##scope, atomic_max, int, type_i32)                  \
  __KATA_ATOMIC(atomicMax##scope, atomic_max, unsigned, type_u32)             \
  __KATA_ATOMIC(atomicMax##scope, atomic_max, unsigned long long, type_u64)   \
  __KATA_ATOMIC(atomicMax##scope, atomic_max, long long, type_i64)            \
  __KATA_ATOMIC(atomicInc##scope, atomic_inc, unsigned, type_u32)             \
  __KATA_ATOMIC(atomicDec##scope, atomic_dec, unsigned, type_u32)             \
  __KATA_ATOMIC(atomicAnd##scope, atomic_and, int, type_i32)                  \
  __KATA_ATOMIC(atomicAnd##scope, atomic_and, unsigned, type_u32)             \
  __KATA_ATOMIC(atomicAnd##scope, atomic_and, unsigned long long, type_u64)   \
  __KATA_ATOMIC(atomicOr##scope, atomic_or, int, type_i32)                    \
  __KATA_ATOMIC(atomicOr##scope, atomic_or, unsigned, type_u32)               \
  __KATA_ATOMIC(atomicOr##scope, atomic_or, unsigned long long, type_u64)     \
  __KATA_ATOMIC(atomicXor##scope, atomic_xor, int, type_i32)                  \
  __KATA_ATOMIC(atomicXor##scope, atomic_xor, unsigned, type_u32)             \
  __KATA_ATOMIC(atomicXor##scope, atomic_xor, unsigned long long, type_u64)   \
  __KATA_ATOMIC_CAS(atomicCAS##scope, int, type_i32)                          \
  __KATA_ATOMIC_CAS(atomicCAS##scope, unsigned, type_u32)                     \
  __KATA_ATOMIC_CAS(atomicCAS##scope, unsigned long long, type_u64)           \
  __KATA_ATOMIC_CAS(atomicCAS##scope, unsigned short, type_u16)               \
  __KATA_ATOMIC_ADD_VECTOR(atomicAdd##scope, float2)                          \
  __KATA_ATOMIC_ADD_VECTOR(atomicAdd##scope, float4)

__KATA_ATOMICS()
__KATA_ATOMICS(_block)
__KATA_ATOMICS(_system)
