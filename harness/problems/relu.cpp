// relu: y[i] = max(x[i], 0)
#include <algorithm>

#include "problems/spec/problem.h"

namespace kata::problem::relu {

// A selection rounds nothing, so nothing but x[i] or 0 itself will do. (-0 equals 0: either may be
// the answer to an input of -0.)
Outputs reference(const Inputs& inputs, const Case&) {
  const std::span<const float> x = inputs[0].as<float>();
  Expected y;
  y.value.reserve(x.size());
  for (float value : x) y.value.push_back(std::max(value, 0.0f));
  return {y};
}

Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 4 * n, .bytes_written = 4 * n, .operations = n};
}

REGISTER_PROBLEM({
    .name = "relu",
    .summary = "y = max(x, 0), element by element",
    .frequency = "low",
    .difficulty = "easy",
    .signature = signature(input<float>("x", dims<0>), output<float>("y", dims<0>),
                           integer("n", 1, 1 << 28)),
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

}  // namespace kata::problem::relu
