// rope: y = x cos + rotate(x) sin for each row of x[tokens, dim], where rotate(x) is the negated
// second half of the row followed by its first half
#include <algorithm>
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::rope {

// Two products and their sum, each rounded to u = 2^-24. Relative to the terms, not to y: the sum
// may cancel. Below the smallest normal float a kernel may flush to zero.
double tolerance(double term, double other) {
  return std::ldexp(3 * (std::fabs(term) + std::fabs(other)), -24) + std::ldexp(1.0, -126);
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> x = inputs[0].as<float>();
  const std::span<const float> cosine = inputs[1].as<float>();
  const std::span<const float> sine = inputs[2].as<float>();
  const std::size_t dim = one_case.shape[1], half = dim / 2;
  Expected y;
  y.value.reserve(x.size());
  y.tolerance.reserve(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double partner = i % dim < half ? -x[i + half] : x[i - half];
    const double kept = static_cast<double>(x[i]) * cosine[i], turned = partner * sine[i];
    y.value.push_back(kept + turned);
    y.tolerance.push_back(tolerance(kept, turned));
  }
  return {y};
}

// An element takes two products and a sum.
Cost cost(const Shape& shape) {
  const double elements = static_cast<double>(shape[0]) * shape[1];
  return {.bytes_read = 12 * elements, .bytes_written = 4 * elements, .operations = 3 * elements};
}

REGISTER_PROBLEM({
    .name = "rope",
    .summary = "rotary position embedding: pairs of a row turned by angles from tables",
    .frequency = "high",
    .difficulty = "easy",
    .signature = signature(input<float>("x", dims<0, 1>),
                           input<float>("cosine", dims<0, 1>, draw::uniform(-1, 1)),
                           input<float>("sine", dims<0, 1>, draw::uniform(-1, 1)),
                           output<float>("y", dims<0, 1>), integer("tokens", 1, 1 << 20),
                           integer("dim", 2, 4096)),
    .limits = {"dim is even",
               [](Shape shape) -> Shape {
                 return {shape[0], std::max(2, shape[1] / 2 * 2)};
               }},
    .cases = {{{1, 2}},
              {{7, 6}},
              {{65537, 2}},                   // more tokens than gridDim.y has
              {{131, 10}, Values::outliers},  // the second half is misaligned for float4
              {{130, 64}, Values::all_negative},
              {{77, 80}, Values::large_magnitude},
              {{3, 2052}},  // more pairs in a row than threads in a block
              {{133, 128}}},
    .large_cases = {{{16385, 128}}, {{1 << 20, 6}}, {{70001, 80}}},
    .bench_shapes = {{16384, 128}, {262144, 128}, {16384, 130}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::rope
