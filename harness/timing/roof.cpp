#include "timing/roof.h"

namespace kata {

Roof roof_of(const Chip& chip, ArithmeticUnit unit) {
  if (operations_per_s(chip, unit) <= 0) unit = ArithmeticUnit::fma;
  return {.chip = chip.name,
          .operations_per_s = operations_per_s(chip, unit),
          .bytes_per_s = chip.memory_bytes_per_s,
          .unit = unit};
}

double roofline_operations(const Problem& problem, const Shape& shape) {
  const double operations = problem.cost(shape).operations;
  return operations > 0 ? operations : static_cast<double>(output_elements(problem, shape));
}

}  // namespace kata
