#pragma once
// What an exercise includes: CUDA, and the operators' entry functions, so that a changed signature
// is a compile error that says so.

#include <cuda_runtime.h>

#include <kata/entry_points.h>

namespace kata {

/// How many pieces of b cover a; as wide as the wider of the two.
template <class A, class B>
__host__ __device__ constexpr auto ceil_div(A a, B b) {
  return a / b + (a % b != 0);  // a + b - 1 could overflow
}

}  // namespace kata
