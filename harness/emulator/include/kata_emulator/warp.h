#pragma once
#pragma GCC system_header
// Barriers, fences and the warp's *_sync functions.

#include "abi.h"

// Not in brackets: libcu++'s NV_IF_TARGET() takes off those of its argument.
#define __syncthreads() static_cast<void>(__kata_barrier(::__kata::barrier_sync, 0, __KATA_HERE))
#define __syncthreads_count(p) __kata_barrier(::__kata::barrier_count, (p) != 0, __KATA_HERE)
#define __syncthreads_and(p) __kata_barrier(::__kata::barrier_and, (p) != 0, __KATA_HERE)
#define __syncthreads_or(p) __kata_barrier(::__kata::barrier_or, (p) != 0, __KATA_HERE)
#define __activemask() __kata_activemask(__KATA_HERE)

static __KATA_INLINE void __syncwarp(unsigned mask = 0xffffffffu) {
  __kata_warp(::__kata::warp_sync, mask, 0, 0, 32);
}
static __KATA_INLINE void __threadfence_block() {
  __kata_fence(0);
}
static __KATA_INLINE void __threadfence() {
  __kata_fence(1);
}
static __KATA_INLINE void __threadfence_system() {
  __kata_fence(2);
}

namespace __kata {

template <class T>
__KATA_INLINE unsigned long long to_bits(T value) {
  static_assert(sizeof(T) <= 8, "warp and atomic functions take at most 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <class T>
__KATA_INLINE T from_bits(unsigned long long bits) {
  T value;
  __builtin_memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

}  // namespace __kata

#define __KATA_SHUFFLES(T)                                                                         \
  static __KATA_INLINE T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {           \
    return ::__kata::from_bits<T>(                                                                 \
        __kata_warp(::__kata::warp_shfl_idx, mask, ::__kata::to_bits(value), lane, width));        \
  }                                                                                                \
  static __KATA_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {  \
    return ::__kata::from_bits<T>(                                                                 \
        __kata_warp(::__kata::warp_shfl_up, mask, ::__kata::to_bits(value), (int)delta, width));   \
  }                                                                                                \
  static __KATA_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta,                  \
                                          int width = 32) {                                        \
    return ::__kata::from_bits<T>(                                                                 \
        __kata_warp(::__kata::warp_shfl_down, mask, ::__kata::to_bits(value), (int)delta, width)); \
  }                                                                                                \
  static __KATA_INLINE T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {  \
    return ::__kata::from_bits<T>(                                                                 \
        __kata_warp(::__kata::warp_shfl_xor, mask, ::__kata::to_bits(value), lane_mask, width));   \
  }
#define __KATA_MATCHES(T)                                                                    \
  static __KATA_INLINE unsigned __match_any_sync(unsigned mask, T value) {                   \
    return (unsigned)__kata_warp(::__kata::warp_match_any, mask, ::__kata::to_bits(value),   \
                                 sizeof(T), 32);                                             \
  }                                                                                          \
  static __KATA_INLINE unsigned __match_all_sync(unsigned mask, T value, int* predicate) {   \
    const unsigned matched = (unsigned)__kata_warp(::__kata::warp_match_all, mask,           \
                                                   ::__kata::to_bits(value), sizeof(T), 32); \
    *predicate = matched != 0;                                                               \
    return matched;                                                                          \
  }
#define __KATA_FOR_TYPES(X) \
  X(int)                    \
  X(unsigned)               \
  X(long)                   \
  X(unsigned long)          \
  X(long long)              \
  X(unsigned long long)     \
  X(float)                  \
  X(double)
__KATA_FOR_TYPES(__KATA_SHUFFLES)
__KATA_FOR_TYPES(__KATA_MATCHES)

static __KATA_INLINE unsigned __ballot_sync(unsigned mask, int predicate) {
  return (unsigned)__kata_warp(::__kata::warp_ballot, mask, predicate != 0, 0, 32);
}
static __KATA_INLINE int __any_sync(unsigned mask, int predicate) {
  return (int)__kata_warp(::__kata::warp_any, mask, predicate != 0, 0, 32);
}
static __KATA_INLINE int __all_sync(unsigned mask, int predicate) {
  return (int)__kata_warp(::__kata::warp_all, mask, predicate != 0, 0, 32);
}

#define __KATA_REDUCE(name, op, T)                                     \
  static __KATA_INLINE T name(unsigned mask, T value) {                \
    return (T)__kata_warp(::__kata::op, mask, (unsigned)value, 0, 32); \
  }
__KATA_REDUCE(__reduce_add_sync, warp_add, unsigned)
__KATA_REDUCE(__reduce_add_sync, warp_add, int)
__KATA_REDUCE(__reduce_min_sync, warp_min_unsigned, unsigned)
__KATA_REDUCE(__reduce_min_sync, warp_min_signed, int)
__KATA_REDUCE(__reduce_max_sync, warp_max_unsigned, unsigned)
__KATA_REDUCE(__reduce_max_sync, warp_max_signed, int)
__KATA_REDUCE(__reduce_and_sync, warp_and, unsigned)
__KATA_REDUCE(__reduce_or_sync, warp_or, unsigned)
__KATA_REDUCE(__reduce_xor_sync, warp_xor, unsigned)
