// reduce_sum: sum[0] = x[0] + ... + x[n - 1]
#include <cmath>

#include "problems/spec/problem.h"
#include "problems/tolerance/dot_product.h"

namespace kata::problem::reduce_sum {

// A sum is a dot product with ones. The tolerance covers n roundings of either sign, as when one
// thread adds everything in one float, in any order that does not depend on the values (in sorted
// order the partial sums would be far larger); a tree is far better. In numbers, for
// N(0, 1): 2.7e-7 n, or 0.027 at n = 100003, where a forgotten element is off by 0.67 in the middle
// and by less than 0.027 one time in 46.
//
// Terms of one sign do not cancel, so their sum grows with n and its rounding with n^1.5: at
// n = 100003 that honest thread is off by as much as a whole element. Such values, and the constant
// ones, therefore belong in cases of a few thousand elements at most. The longest cases have whole
// numbers, whose sum is exact: there a forgotten element always shows.
Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> x = inputs[0].as<float>();
  Terms terms{.roundings = one_case.shape[0] - 1, .equal = all_equal(x), .whole = all_whole(x)};
  for (double value : x) {
    terms.sum += value;
    terms.sum_of_sizes += std::abs(value);
    terms.sum_of_squares += value * value;
  }
  return {{.value = {terms.sum}, .tolerance = {dot_tolerance(terms)}}};
}

Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 4 * n, .bytes_written = 4, .operations = n};
}

REGISTER_PROBLEM({
    .name = "reduce_sum",
    .summary = "the sum of a vector",
    .frequency = "very high",
    .difficulty = "medium",
    .signature = signature(input<float>("x", dims<0>), output<float>("sum", scalar),
                           integer("n", 1, 1 << 28)),
    .cases = {{{1}},
              {{32}},
              {{255}, Values::all_negative},
              {{257}},
              {{4098}, Values::outliers},
              {{16384}},
              {{131077}, Values::whole_numbers}},
    .large_cases = {{{(1 << 22) + 1}, Values::outliers}, {{(1 << 22) + 4}, Values::whole_numbers}},
    .bench_shapes = {{1 << 24}, {1 << 28}, {1 << 20}, {(1 << 26) + 3}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::reduce_sum
