// scan: y[i] = x[0] + ... + x[i]
#include <algorithm>
#include <cmath>
#include <limits>

#include "problems/spec/problem.h"
#include "problems/tolerance/dot_product.h"

namespace kata::problem::scan {

// y[i] is a sum of i + 1 terms, so its error is judged against the sum S of their magnitudes, not
// against y[i], which may be near 0. With u = 2^-24 and d = i + 1 additions, d u S is the worst
// case for any order, while d u < 1. Roundings of either sign grow like sqrt(d): u (32 + 4 sqrt(d))
// S is over ten standard deviations of a sequential sum, and more for a tree. It does not hold for
// equal terms, whose roundings all go one way, so the cases with `constant` values keep the worst
// case.
//
// Whole numbers are exact in any order while S is at most 2^24: there the tolerance is 0, and one
// lost element shows in a sum of any length.
Outputs reference(const Inputs& inputs, const Case&) {
  const std::span<const float> x = inputs[0].as<float>();
  const bool exact = all_whole(x);
  const bool equal = all_equal(x);
  const double u = std::ldexp(1.0, -24);
  Expected y{.value = std::vector<double>(x.size()), .tolerance = std::vector<double>(x.size())};
  double sum = 0;
  double sum_of_sizes = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i];
    sum_of_sizes += std::fabs(x[i]);
    const double d = static_cast<double>(i) + 1;
    const double worst = d * u < 1 ? d * u / (1 - d * u) : std::numeric_limits<double>::infinity();
    const double likely = u * (32 + 4 * std::sqrt(d));
    y.value[i] = sum;
    if (exact && sum_of_sizes <= 1 / u) continue;
    y.tolerance[i] = (equal ? worst : std::min(worst, likely)) * sum_of_sizes;
  }
  return {y};
}

Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 4 * n, .bytes_written = 4 * n, .operations = n};
}

REGISTER_PROBLEM({
    .name = "scan",
    .summary = "the prefix sum of a vector",
    .frequency = "high",
    .difficulty = "hard",
    .signature = signature(input<float>("x", dims<0>), output<float>("y", dims<0>),
                           integer("n", 1, 1 << 28)),
    .cases = {{{1}},
              {{33}, Values::whole_numbers},
              {{256}},
              {{1025}, Values::all_negative},
              {{4098}, Values::outliers},
              {{20000}, Values::whole_numbers},
              {{66000}, Values::whole_numbers}},               // beyond two levels of tiles of 256
    .large_cases = {{{(1 << 18) + 1}, Values::whole_numbers},  // ... of 512
                    {{(1 << 20) + 1}, Values::whole_numbers},  // ... of 1024
                    {{(1 << 22) + 1}},
                    {{(1 << 22) + 4}, Values::whole_numbers}},
    .bench_shapes = {{1 << 26}, {1 << 24}, {1 << 20}, {(1 << 24) + 3}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::scan
