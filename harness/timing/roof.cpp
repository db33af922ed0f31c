#include "timing/roof.h"

#include <algorithm>

namespace kata {

Roof roof_of(const Chip& chip, ArithmeticUnit unit) {
  if (operations_per_s(chip, unit) <= 0) unit = ArithmeticUnit::fma;
  return {.chip = chip.name,
          .operations_per_s = operations_per_s(chip, unit),
          .bytes_per_s = chip.memory_bytes_per_s,
          .unit = unit};
}

double datasheet_limit_us(const Cost& cost, const Chip& chip) {
  const Roof roof = roof_of(chip, cost.unit);
  const double bytes_us = 1e6 * (cost.bytes_read + cost.bytes_written) / roof.bytes_per_s;
  return std::max(bytes_us, 1e6 * cost.operations / roof.operations_per_s);
}

double roofline_operations(const Problem& problem, const Shape& shape) {
  const double operations = problem.cost(shape).operations;
  return operations > 0 ? operations : static_cast<double>(output_elements(problem, shape));
}

}  // namespace kata
