// softmax: y[i] = exp(x[i] - max(x)) / sum over j of exp(x[j] - max(x))
#include "problems/spec/problem.h"
#include "problems/tolerance/softmax_tolerance.h"

namespace kata::problem::softmax {

Outputs reference(const Inputs& inputs, const Case& one_case) {
  const int n = one_case.shape[0];
  Expected y{.value = std::vector<double>(n),
             .tolerance = std::vector<double>(n),
             .alternative = std::vector<double>(n)};
  softmax_of(inputs[0].as<float>().data(), n, y.value.data(), y.alternative.data(),
             y.tolerance.data());
  return {y};
}

// Where the vector fits on the chip, one read and one write are enough. Operations for an element:
// comparison, difference, exponential (counted as one), sum, product.
Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 4 * n, .bytes_written = 4 * n, .operations = 5 * n};
}

REGISTER_PROBLEM({
    .name = "softmax",
    .summary = "softmax of one vector",
    .frequency = "very high",
    .difficulty = "medium",
    .signature = signature(input<float>("x", dims<0>, draw::rows_of(0)),
                           output<float>("y", dims<0>), integer("n", 1, 1 << 28)),
    .cases = {{{1}, Values::signed_zeros},  // a maximum of -0: its bits are those of the lowest int
              {{31}, Values::far_below_zero},
              {{32}, Values::large_magnitude},
              {{255}},
              {{4098}, Values::outliers},
              {{6001}, Values::two_levels},
              {{70001}},                      // too long for shared memory
              {{100003}, Values::constant}},  // here a forgotten element shows: see softmax_of
    .large_cases = {{{(1 << 22) + 1}}, {{(1 << 24) + 4}}},
    .bench_shapes = {{1 << 24}, {1 << 20}, {(1 << 24) + 1}, {1 << 26}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::softmax
