// add: c[i] = a[i] + b[i]
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::add {

// One addition, rounded once to the nearest float: off by at most u |c|, u = 2^-24. No operation
// that a kernel may choose is less exact, and none is more.
Outputs reference(const Inputs& inputs, const Case&) {
  const double u = std::ldexp(1.0, -24);
  const std::span<const float> a = inputs[0].as<float>();
  const std::span<const float> b = inputs[1].as<float>();
  Expected c;
  c.value.reserve(a.size());
  c.tolerance.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double sum = static_cast<double>(a[i]) + b[i];
    c.value.push_back(sum);
    c.tolerance.push_back(u * std::abs(sum));
  }
  return {c};
}

Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 8 * n, .bytes_written = 4 * n, .operations = n};
}

REGISTER_PROBLEM({
    .name = "add",
    .summary = "c = a + b, element by element",
    .frequency = "low",
    .difficulty = "easy",
    .signature = signature(input<float>("a", dims<0>), input<float>("b", dims<0>),
                           output<float>("c", dims<0>), integer("n", 1, 1 << 28)),
    .cases = {{{1}},
              {{3}},    // less than a float4
              {{255}},  // more than a warp, less than a block
              {{257}},
              {{1024}},                    // no rest after whole blocks
              {{4098}, Values::outliers},  // a block of 1024 float4s, and half of one
              {{131077}}},
    .large_cases = {{{(1 << 22) + 1}}, {{(1 << 22) + 4}, Values::outliers}},
    .bench_shapes = {{1 << 24}, {1 << 26}, {(1 << 26) + 3}, {1 << 20}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::add
