#pragma once
// What the roofline (report/roofline.h) takes from chips and problems.

#include "problems/spec/problem.h"
#include "report/roofline.h"
#include "timing/chip.h"

namespace kata {

/// For arithmetic on that unit, or of FP32 multiply-adds where the chip does not have it.
Roof roof_of(const Chip& chip, ArithmeticUnit unit);

/// The time that moving the bytes and doing the operations takes by the datasheet, in microseconds.
double datasheet_limit_us(const Cost& cost, const Chip& chip);

/// Floating-point operations; of a problem that has none, elements of the output, one each.
double roofline_operations(const Problem& problem, const Shape& shape);

}  // namespace kata
