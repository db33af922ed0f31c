#pragma once
// What the roofline (report/roofline.h) takes from chips and problems.

#include "problems/spec/problem.h"
#include "report/roofline.h"
#include "timing/chip.h"

namespace kata {

/// For arithmetic on that unit, or of FP32 multiply-adds where the chip does not have it.
Roof roof_of(const Chip& chip, ArithmeticUnit unit);

/// Floating-point operations; of a problem that has none, elements of the output, one each.
double roofline_operations(const Problem& problem, const Shape& shape);

}  // namespace kata
