// reverse: x[0] ... x[n - 1] becomes x[n - 1] ... x[0], in place
#include "problems/spec/problem.h"

namespace kata::problem::reverse {

// Elements are moved, not computed: exact.
Outputs reference(const Inputs& inputs, const Case&) {
  const std::span<const float> x = inputs[0].as<float>();
  return {{.value = {x.rbegin(), x.rend()}, .keeps_sign_of_zero = true}};
}

Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 4 * n, .bytes_written = 4 * n, .operations = 0};
}

// The two ends meet inside a block, a warp and a vector; n % 4 takes every value beyond one block.
REGISTER_PROBLEM({
    .name = "reverse",
    .summary = "a vector from its end to its beginning",
    .frequency = "medium",
    .difficulty = "easy",
    .signature = signature(in_out<float>("x", dims<0>, draw::any_bits()), integer("n", 1, 1 << 28)),
    .cases = {{{1}},
              {{2}},
              {{3}},
              {{511}},
              {{512}},
              {{513}},
              {{1026}},
              {{16384}},  // no rest after whole blocks
              {{131075}},
              {{131077}}},
    .large_cases = {{{(1 << 22) + 1}}, {{(1 << 22) + 2}}, {{(1 << 22) + 4}}},
    .bench_shapes = {{1 << 26}, {1 << 24}, {1 << 20}, {(1 << 26) + 3}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::reverse
