#include "timing/roof.h"

namespace kata {

Roof roof_of(const Chip& chip) {
  return {.chip = chip.name,
          .operations_per_s = 2 * chip.fma_per_clock * chip.clock_hz * chip.multiprocessors,
          .bytes_per_s = chip.memory_bytes_per_s};
}

double roofline_operations(const Problem& problem, const Shape& shape) {
  const double operations = problem.cost(shape).operations;
  return operations > 0 ? operations : static_cast<double>(output_elements(problem, shape));
}

}  // namespace kata
