// dot: result[0] = a[0] b[0] + ... + a[n - 1] b[n - 1]
#include <cmath>

#include "problems/spec/problem.h"
#include "problems/tolerance/dot_product.h"

namespace kata::problem::dot {

// A product is rounded once, and then at most n - 1 times with the sum that it is in. The tolerance
// depends on the sizes of the terms, not on the result, which may be 0 (dot_product.h). A forgotten
// product always shows where the elements are whole numbers: those sums are exact.
Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> a = inputs[0].as<float>();
  const std::span<const float> b = inputs[1].as<float>();
  Terms terms{.roundings = one_case.shape[0],
              .equal = all_equal(a) && all_equal(b),
              .whole = all_whole(a) && all_whole(b)};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double term = static_cast<double>(a[i]) * b[i];
    terms.sum += term;
    terms.sum_of_sizes += std::abs(term);
    terms.sum_of_squares += term * term;
  }
  return {{.value = {terms.sum}, .tolerance = {dot_tolerance(terms)}}};
}

Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 8 * n, .bytes_written = 4, .operations = 2 * n};
}

REGISTER_PROBLEM({
    .name = "dot",
    .summary = "the dot product of two vectors",
    .frequency = "high",
    .difficulty = "medium",
    .signature = signature(input<float>("a", dims<0>), input<float>("b", dims<0>),
                           output<float>("result", scalar), integer("n", 1, 1 << 28)),
    .cases = {{{1}},
              {{3}},
              {{32}},
              {{255}, Values::all_negative},
              {{1025}},
              {{4098}, Values::outliers},
              {{16384}, Values::whole_numbers},  // no rest after whole blocks
              {{131079}, Values::whole_numbers}},
    .large_cases = {{{(1 << 21) + 1}, Values::whole_numbers}, {{(1 << 22) + 3}, Values::outliers}},
    .bench_shapes = {{1 << 26}, {1 << 24}, {1 << 20}, {(1 << 26) + 3}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::dot
