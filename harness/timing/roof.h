#pragma once
// What the roofline (report/roofline.h) takes from chips and problems.

#include "problems/spec/problem.h"
#include "report/roofline.h"
#include "timing/chip.h"

namespace kata {

Roof roof_of(const Chip& chip);

/// Floating-point operations; of a problem that has none, elements of the output, one each.
double roofline_operations(const Problem& problem, const Shape& shape);

}  // namespace kata
