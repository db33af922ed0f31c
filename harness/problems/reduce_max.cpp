// reduce_max: max[0] = the largest of x[0] ... x[n - 1]
#include <algorithm>

#include "problems/spec/problem.h"

namespace kata::problem::reduce_max {

// A selection rounds nothing: the one right answer is an element of x.
Outputs reference(const Inputs& inputs, const Case&) {
  const std::span<const float> x = inputs[0].as<float>();
  return {{.value = {*std::max_element(x.begin(), x.end())}}};
}

Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 4 * n, .bytes_written = 4, .operations = n};
}

// A forgotten element shows only if it is the largest. So the largest is last, at sizes where the
// end of a block, a grid or a vector may be missed.
REGISTER_PROBLEM({
    .name = "reduce_max",
    .summary = "the largest element of a vector",
    .frequency = "high",
    .difficulty = "medium",
    .signature = signature(input<float>("x", dims<0>), output<float>("max", scalar),
                           integer("n", 1, 1 << 28)),
    .cases = {{{1}, Values::signed_zeros},  // the bits of -0 are those of the lowest int
              {{31}, Values::far_below_zero},
              {{70}, Values::lowest},
              {{255}, Values::largest_last},
              {{257}, Values::largest_last},
              {{16384}, Values::largest_last},  // no rest after whole blocks
              {{70001}, Values::mostly_zero},
              {{100003}},  // the largest not in the last part
              {{131077}, Values::largest_last}},
    .large_cases = {{{(1 << 22) + 1}, Values::all_negative},
                    {{(1 << 22) + 5}, Values::largest_last}},
    .bench_shapes = {{1 << 24}, {1 << 28}, {1 << 20}, {(1 << 26) + 3}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::reduce_max
