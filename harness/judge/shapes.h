#pragma once
// Shapes for cases that are run without instruments, and what they cost.

#include <cstddef>
#include <vector>

#include "problems/spec/problem.h"

namespace kata {

/// Nanoseconds, roughly, that a call takes with all that the judge does for it. Work is bytes and
/// operations; an element is drawn or computed once more, and compared. A kernel may spend a block
/// on each row of a matrix, however short it is.
double price(const Problem& problem, const Shape& shape);

/// The nearest shape that the operator has, with sizes in its ranges.
Shape legal(const Problem& problem, Shape shape);

/// The largest shape of a series, shape_of(1) to shape_of(most), whose price is within the limit.
template <class ShapeOf>
Shape largest_within(const Problem& problem, double limit, int most, ShapeOf shape_of) {
  int low = 1, high = most;
  while (low < high) {
    const int middle = high - (high - low) / 2;
    const Shape shape = legal(problem, shape_of(middle));
    if (is_promised(problem, shape) && price(problem, shape) <= limit) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return legal(problem, shape_of(low));
}

/// All sizes the same power of two, but windows and steps at their least: tiles, and tiles of
/// tiles, leave nothing over, and a table of one more than these may be too short.
Shape even_shape(const Problem& problem, double limit);

/// The size that has to grow with this one for it to be legal, as n with k; itself, if none has to.
std::size_t grows_with(const Problem& problem, std::size_t i, const Shape& others);

/// All sizes that are not the subject of a case: small ones, which differ from case to case.
Shape small_shape(const Problem& problem, std::size_t number);

/// The distributions to draw from: those of the problem's cases that are right at any size. The
/// sums of others lose small terms where they are long, or leave the range of a half.
std::vector<Values> values_of(const Problem& problem);

/// A size that stays small, as that of a window or a step does.
bool is_window(const Parameter& size);

}  // namespace kata
