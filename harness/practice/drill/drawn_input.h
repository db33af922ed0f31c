#pragma once
// What of a drawn input decides how long a kernel takes: the lengths of rows, how often a value
// occurs.

#include <string>

#include "problems/spec/problem.h"

namespace kata::drill {

/// "row_start: 1,048,576 parts of 0 to 4,194,304 elements, of which half have at most 0." of every
/// integer input; empty where the times depend on the size alone.
std::string drawn_input(const Problem& problem, const Shape& shape);

}  // namespace kata::drill
