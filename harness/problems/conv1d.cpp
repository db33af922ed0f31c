// conv1d: y[i] = x[i] w[0] + ... + x[i + k - 1] w[k - 1], for all n - k + 1 places of the filter
#include <algorithm>

#include "problems/spec/problem.h"
#include "problems/tolerance/dot_product.h"

namespace kata::problem::conv1d {

constexpr int most_taps = 2048;

Dims places(const Shape& shape) {
  return {shape[0] - shape[1] + 1};
}

Shape nearest(Shape shape) {
  const int n = std::max(shape[0], 1);
  return {n, std::clamp(shape[1], 1, std::min(n, most_taps))};
}

// Each output is a dot product of k terms.
Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> x = inputs[0].as<float>();
  const std::span<const float> w = inputs[1].as<float>();
  const bool equal = all_equal(x) && all_equal(w);
  const bool whole = all_whole(x) && all_whole(w);
  Expected y;
  for (std::size_t i = 0; i + w.size() <= x.size(); ++i) {
    Terms terms{.roundings = one_case.shape[1], .equal = equal, .whole = whole};
    for (std::size_t j = 0; j < w.size(); ++j) {
      const double term = static_cast<double>(x[i + j]) * w[j];
      terms.sum += term;
      terms.sum_of_sizes += std::abs(term);
      terms.sum_of_squares += term * term;
    }
    y.value.push_back(terms.sum);
    y.tolerance.push_back(dot_tolerance(terms));
  }
  return {y};
}

Cost cost(const Shape& shape) {
  const double n = shape[0];
  const double k = shape[1];
  const double outputs = n - k + 1;
  return {.bytes_read = 4 * (n + k), .bytes_written = 4 * outputs, .operations = 2 * k * outputs};
}

// Sizes: one output; more taps than a warp has lanes, than a block has threads, and the most that
// there may be; whole blocks of outputs and one more. The last large case is beyond 2^23 outputs,
// where rung 8 changes its kernel.
REGISTER_PROBLEM({
    .name = "conv1d",
    .summary = "a filter slides along a signal",
    .frequency = "high",
    .difficulty = "medium",
    .signature = signature(input<float>("x", dims<0>), input<float>("w", dims<1>),
                           output<float>("y", places), integer("n", 1, 1 << 28),
                           integer("k", 1, 2048)),
    .limits = {"k <= n, k <= 2048", nearest},
    .cases = {{{1, 1}},
              {{5, 5}},
              {{1030, 7}, Values::outliers},  // 1024 outputs
              {{1029, 5}},                    // 1025 outputs
              {{4131, 33}},
              {{900, 259}, Values::whole_numbers},
              {{2049, 1}},
              {{2100, 2048}, Values::whole_numbers}},
    .large_cases = {{{(1 << 22) + 1, 5}},
                    {{1 << 20, 129}, Values::outliers},
                    {{65537, 2047}, Values::whole_numbers},
                    {{(1 << 23) + 35, 33}}},
    .bench_shapes = {{1 << 24, 129}, {1 << 24, 5}, {1 << 24, 2047}, {(1 << 20) + 3, 129}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::conv1d
