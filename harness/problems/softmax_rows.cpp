// softmax_rows: each row of y[rows, cols] is the softmax of the same row of x
#include "problems/spec/problem.h"
#include "problems/tolerance/softmax_tolerance.h"

namespace kata::problem::softmax_rows {

Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> x = inputs[0].as<float>();
  const std::size_t rows = one_case.shape[0];
  const std::size_t cols = one_case.shape[1];
  Expected y{.value = std::vector<double>(rows * cols),
             .tolerance = std::vector<double>(rows * cols),
             .alternative = std::vector<double>(rows * cols)};
  for (std::size_t first = 0; first < rows * cols; first += cols) {
    softmax_of(&x[first], one_case.shape[1], &y.value[first], &y.alternative[first],
               &y.tolerance[first]);
  }
  return {y};
}

// One read and one write, where a row fits on the chip. Operations for an element: comparison,
// difference, exponential (counted as one), sum, product.
Cost cost(const Shape& shape) {
  const double elements = static_cast<double>(shape[0]) * shape[1];
  return {.bytes_read = 4 * elements, .bytes_written = 4 * elements, .operations = 5 * elements};
}

REGISTER_PROBLEM({
    .name = "softmax_rows",
    .summary = "softmax of every row of a matrix",
    .frequency = "very high",
    .difficulty = "medium",
    .signature = signature(input<float>("x", dims<0, 1>, draw::rows_of(1)),
                           output<float>("y", dims<0, 1>), integer("rows", 1, 1 << 20),
                           integer("cols", 1, 262144)),
    .cases = {{{3, 1}, Values::signed_zeros},  // a maximum of -0: its bits are the lowest int's
              {{33, 32}, Values::large_magnitude},
              {{5, 33}, Values::far_below_zero},
              {{257, 4}},
              {{130, 514}},
              {{2, 4101}, Values::two_levels},
              {{6, 35}, Values::large_mean},
              {{1, 90004}, Values::all_negative},  // too long for shared memory
              {{3, 32771}, Values::constant}},     // here a forgotten element shows: see softmax_of
    .large_cases = {{{4097, 1023}}, {{2049, 4096}}, {{16, 131075}}, {{9, 131072}}},
    .bench_shapes =
        {{8192, 4096}, {4096, 1024}, {4096, 1023}, {4096, 32768}, {128, 131072}, {65536, 128}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::softmax_rows
