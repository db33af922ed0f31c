#pragma once
#pragma GCC system_header
// Bytes of an object that belong to none of its members: a copy of the object reads them, though
// nothing has written them.

#include "abi.h"

namespace __kata {

template <class T>
struct Element {
  typedef T type;
};
template <class T>
struct Element<T[]> : Element<T> {};
template <class T, size_t n>
struct Element<T[n]> : Element<T> {};
template <class T>
struct Element<volatile T> : Element<T> {};
template <class T>
struct Element<volatile T[]> : Element<T> {};
template <class T, size_t n>
struct Element<volatile T[n]> : Element<T> {};

template <class T>
constexpr bool may_have_padding() {
#if __has_builtin(__builtin_clear_padding)
  return __is_class(T) && __is_trivially_copyable(T);
#else
  return false;
#endif
}

template <class T>
__attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage)) void clear_padding(
    void* object) {
#if __has_builtin(__builtin_clear_padding)
  __builtin_clear_padding((T*)object);
#endif
}

/// Of the elements of an array.
template <class Array>
constexpr Padding padding_of() {
  typedef typename Element<Array>::type T;
  if constexpr (may_have_padding<T>())
    return {&clear_padding<T>, sizeof(T)};
  else
    return {};
}

template <class Array>
__KATA_INLINE Array& dynamic_shared() {
  void* const memory = __kata_dynamic_shared();
  if constexpr (may_have_padding<typename Element<Array>::type>())
    __kata_set_padding(memory, padding_of<Array>());
  return *(Array*)memory;
}

}  // namespace __kata
