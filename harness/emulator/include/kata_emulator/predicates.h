#pragma once
#pragma GCC system_header
// What conditions say of themselves where nvcc predicates what depends on them instead of branching
// round it (rewriter/predicates.cpp).

#include "abi.h"
#include "loops.h"

namespace __kata {

/// No two calls are one to the compiler, and no access to memory waits for either.
__KATA_INLINE int another_call() {
  int token;
  __asm__ volatile("" : "=r"(token));
  return token;
}

/// The condition. `sides`: 1 if accesses to count depend on its truth, 2 on its falsehood.
template <unsigned sides>
__KATA_INLINE bool switches(bool condition) {
  if constexpr (is_counted) {
    if (__builtin_constant_p(condition)) return condition;
    const int zero = __kata_predicate(sides, condition, another_call());
    __asm__ volatile("" : : "r"(zero));
  }
  return condition;
}

/// Behind these accesses.
__KATA_INLINE void switched() {
  if constexpr (is_counted) {
    const int zero = __kata_predicate_end(another_call());
    __asm__ volatile("" : : "r"(zero));
  }
}

template <class T>
__KATA_INLINE T switched(T value) {
  switched();
  return value;
}

}  // namespace __kata
