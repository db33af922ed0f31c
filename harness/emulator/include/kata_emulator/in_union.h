#pragma once
#pragma GCC system_header
// What the rewriter writes around the types of a union's members: a union can be copied only if all
// its members copy as plain bytes, which CUDA's vectors do under nvcc, and vector_types.h's do not.
// And round what is cast to an address: see launchable() in runtime_api.h. Every translation unit
// begins with this header, also those that see nothing else of CUDA.

#include "letters_begin.h"

namespace __kata {

template <class T>
struct InUnionOf {
  typedef T type;
};
template <class T>
using InUnion = typename InUnionOf<T>::type;

template <class T>
struct Two {
  T x, y;
};
template <class T>
struct Four {
  T x, y, z, w;
};

/// A vector V of such numbers that copies as plain bytes, and is a V to everybody else.
template <class V, class Numbers>
struct alignas(V) Plain : Numbers {
  operator V&() { return *(V*)this; }
  operator const V&() const { return *(const V*)this; }
  V* operator&() { return (V*)this; }
  const V* operator&() const { return (const V*)this; }
  template <class W>
  Plain& operator=(const W& other) {
    *(V*)this = other;
    return *this;
  }
};
template <class V, class T>
using Plain2 = Plain<V, Two<T>>;
template <class V, class T>
using Plain4 = Plain<V, Four<T>>;

/// Of anything but a kernel.
template <class T>
constexpr T&& launchable(T&& value) {
  return static_cast<T&&>(value);
}

}  // namespace __kata

#include "letters_end.h"
