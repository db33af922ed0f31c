#pragma once
// The cost model: how fast this GPU could do it at best.

#include <optional>
#include <string>
#include <vector>

#include "problems/spec/problem.h"
#include "timing/statistics.h"

namespace kata {

/// Whether the operator writes a substantial part (an eighth or more) of what it reads: then moving
/// its bytes is a copy, else reading alone. DRAM that turns between reading and writing is a few
/// percent slower.
bool is_copy(const Cost& cost);

/// What one of several devices has to do, which work at the same time on equal parts.
Cost of_each_device(Cost cost, int devices);

/// A time that no kernel is expected to beat.
struct Limit {
  std::string name;  ///< "limit (copy)", "limit (links)", "limit (FFMA)", "limit (tensor f16)"...
  double us = 0;
  double iqr_us = 0;  ///< 0 where it was calculated
  int samples = 0;
};

/// What a unit of this GPU was measured to do when nothing else holds it up.
struct ArithmeticRate {
  ArithmeticUnit unit = ArithmeticUnit::fma;
  double operations_per_s = 0;  ///< a multiply-add as two
};

/// The larger of two times: the measured time to move the bytes of `cost` and nothing else (those
/// that cross links, if some do), at that size and beside the timed kernels; and the operations
/// divided by this GPU's rate of them, as measured on `arithmetic.unit`. Nothing without samples.
std::optional<Limit> limit(const Cost& cost, const std::vector<double>& memory_samples_us,
                           const ArithmeticRate& arithmetic);

}  // namespace kata
