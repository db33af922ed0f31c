#pragma once
#pragma GCC system_header
// What loops that nvcc may unroll say of themselves (rewriter/loops.cpp).

#include <type_traits>

#include "abi.h"
#include "loop_forms.h"

namespace __kata {

// Without instrumentation nothing is counted, and loops stay free for the optimizer.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool is_counted = true;
#elif defined(__has_feature)
inline constexpr bool is_counted = __has_feature(thread_sanitizer);
#else
inline constexpr bool is_counted = false;
#endif

template <class T>
inline constexpr bool is_counter = std::is_integral<T>::value && sizeof(T) >= 4;

/// What nvcc knows of how often a loop runs, by the types: `any` step may be added to a signed
/// counter, which does not wrap; to others `one`.
enum class Steps { none, one, any };

template <Comparison test, class I, class L, class B, class S>
constexpr Steps computable_steps() {
  if constexpr (std::is_volatile<B>::value) {
    return Steps::none;
  } else if constexpr (std::is_pointer<I>::value) {
    const bool same = std::is_same<L, I>::value && std::is_pointer<B>::value;
    return same && test == not_equal ? Steps::any : Steps::none;
  } else if constexpr (is_counter<I> && std::is_integral<L>::value && std::is_integral<B>::value &&
                       std::is_integral<S>::value) {
    using Compared = decltype(L() + B());
    const bool never_wraps = std::is_signed<I>::value && std::is_same<Compared, I>::value &&
                             std::is_same<decltype(I() + S()), I>::value;
    if (never_wraps) return Steps::any;
    const bool exclusive = test != less_equal && test != greater_equal;
    const bool wraps = std::is_unsigned<Compared>::value && sizeof(Compared) == sizeof(I);
    return wraps && exclusive ? Steps::one : Steps::none;
  } else {
    return Steps::none;
  }
}

template <Comparison test, class I, class L, class B, class S>
__KATA_INLINE bool is_computable(B bound, S step) {
  constexpr Steps steps = computable_steps<test, I, L, B, S>();
  if constexpr (steps == Steps::none) {
    return false;
  } else if constexpr (steps == Steps::any && test != less_equal && test != greater_equal) {
    return true;
  } else {
    return (__builtin_constant_p(step) && step == 1) ||
           (steps == Steps::any && __builtin_constant_p(bound));
  }
}

/// How far it is to the bound, in the loop's direction.
template <Comparison test, class L, class B>
__KATA_INLINE long long distance(const L& left, const B& bound) {
  const bool down = test == greater || test == greater_equal;
  const bool inclusive = test == less_equal || test == greater_equal;
  return (long long)(down ? left - bound : bound - left) + inclusive;
}

/// Accesses before it are not made after it, and the other way round.
__KATA_INLINE void in_order() {
  if constexpr (is_counted) __asm__ volatile("" : : : "memory");
}

// No access to memory may move for these: a compiler takes what they call for arithmetic. `token`
// makes it believe that the loop needs the results, and its end those of the loop.

/// An iteration begins: where nvcc cannot compute how many there are, the loop may be left at the
/// start of each, even if it is unrolled, and no load comes before that.
template <Comparison test, class I, class L, class B, class S>
__KATA_INLINE void leaves(const I&, const L& left, const B& bound, const S& step) {
  if constexpr (is_counted && is_counter<I> && std::is_integral<L>::value &&
                std::is_integral<B>::value && std::is_integral<S>::value) {
    if (is_computable<test, I, L, B, S>(bound, step)) return;
    const int zero = __kata_iteration_alone(distance<test>(left, bound));
    __asm__ volatile("" : : "r"(zero));
  }
}

/// An iteration begins: `left`, the counter or a sum with it, is on this side of `bound`.
template <Comparison test, unsigned number, unsigned unrolling, class I, class L, class B, class S>
__KATA_INLINE void iterates(int& token, const I& i, const L& left, const B& bound, const S& step) {
  if constexpr (is_counted && computable_steps<test, I, L, B, S>() != Steps::none) {
    if (is_computable<test, I, L, B, S>(bound, step)) {
      const int zero = __kata_iteration(number, unrolling, distance<test>(left, bound), step);
      __asm__("" : "+r"(token) : "r"(zero));
      // Memory changes in the loop, though no load of the loop's: one before it may sink into the
      // loop's guard, as nvcc lets it.
      volatile char written;
      written = 0;
      return;
    }
  }
  leaves<test>(i, left, bound, step);
}

/// An iteration begins of a loop that nvcc may unroll as a whole, if it knows the length, or by
/// `unrolling`.
template <Comparison test, Change change, unsigned number, unsigned size, unsigned unrolling,
          class I, class A, class B, class S>
__KATA_INLINE void copies(int& token, const I& i, A initial, B bound, S step) {
  if constexpr (is_counted && std::is_integral<I>::value && std::is_integral<A>::value &&
                std::is_integral<B>::value && std::is_integral<S>::value) {
    if (__builtin_constant_p(initial) && __builtin_constant_p(bound) &&
        __builtin_constant_p(step)) {
      const int zero =
          __kata_loop_copy(number, test | change * 8 | size * 64, initial, bound, step, i);
      __asm__("" : "+r"(token) : "r"(zero));
      return;
    }
    if constexpr ((unrolling & all_copies) > 1) {
      if (!is_computable<test, I, I, B, S>(bound, step)) return;
      const int zero = __kata_iteration(number, unrolling, distance<test>(i, bound), step);
      __asm__("" : "+r"(token) : "r"(zero));
    }
  }
}

/// The loop has ended.
template <unsigned number>
__KATA_INLINE void ends(const int& token) {
  if (!is_counted || __builtin_constant_p(token)) return;
  const int zero = __kata_loop_end(number, token);
  __asm__ volatile("" : : "r"(zero));
}

}  // namespace __kata
