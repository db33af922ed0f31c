#pragma once
// The dimensions of a tensor, by the numbers of the shape.

#include "problems/spec/case.h"

namespace kata {

/// Of the integers with these positions in the signature: in sgemm, whose integers are M, N and K,
/// dims<0, 2> is an M x K matrix. Other dimensions are functions in the problem's file.
template <int... positions>
Dims dims(const Shape& shape) {
  return {shape[positions]...};
}

/// One number.
inline Dims scalar(const Shape&) {
  return {1};
}

}  // namespace kata
