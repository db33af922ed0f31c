// argmax: index[0] = the first i for which x[i] is the largest of x[0] ... x[n - 1]
#include <algorithm>

#include "problems/spec/problem.h"

namespace kata::problem::argmax {

// max_element finds the first of the largest, and -0 is not less than 0. One index is right.
Outputs reference(const Inputs& inputs, const Case&) {
  const std::span<const float> x = inputs[0].as<float>();
  return {{.value = {static_cast<double>(std::max_element(x.begin(), x.end()) - x.begin())}}};
}

Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 4 * n, .bytes_written = 4, .operations = n};
}

// Ties within a warp, between warps and between blocks; the largest at the end, where it is missed
// if anything is; vectors in which no element is larger than a careless starting value.
REGISTER_PROBLEM({
    .name = "argmax",
    .summary = "the first position of the largest element",
    .frequency = "medium",
    .difficulty = "medium",
    .selects = true,
    .signature = signature(input<float>("x", dims<0>), output<int>("index", scalar),
                           integer("n", 1, 1 << 28)),
    .cases = {{{1}},
              {{33}, Values::lowest},
              {{255}, Values::far_below_zero},
              {{257}, Values::signed_zeros},
              {{300}, Values::subnormal},
              {{1025}, Values::largest_last},
              {{4098}, Values::few_distinct},
              {{9001}, Values::mostly_zero},
              {{16384}, Values::all_negative},  // no rest after whole blocks
              {{100003}, Values::large_mean},   // with fewer bits, the largest are equal
              {{131077}, Values::largest_last}},
    // An index that is kept as a float is rounded above 2^24.
    .large_cases = {{{(1 << 22) + 1}, Values::steps},
                    {{(1 << 22) + 1}, Values::few_distinct},
                    {{(1 << 24) + 2}, Values::largest_last}},
    .bench_shapes = {{1 << 26}, {1 << 24}, {1 << 20}, {(1 << 26) + 3}},
    .drawn_values = {Values::normal, Values::few_distinct, Values::all_negative},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::argmax
