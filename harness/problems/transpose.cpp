// transpose: out[j, i] = in[i, j]; in is [rows, cols], out is [cols, rows]
#include "problems/spec/problem.h"

namespace kata::problem::transpose {

// A copy: nothing is rounded.
Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> in = inputs[0].as<float>();
  const std::size_t rows = one_case.shape[0];
  const std::size_t cols = one_case.shape[1];
  Expected out{.value = std::vector<double>(rows * cols), .keeps_sign_of_zero = true};
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t col = 0; col < cols; ++col) {
      out.value[col * rows + row] = in[row * cols + col];
    }
  }
  return {out};
}

Cost cost(const Shape& shape) {
  const double elements = static_cast<double>(shape[0]) * shape[1];
  return {.bytes_read = 4 * elements, .bytes_written = 4 * elements, .operations = 0};
}

REGISTER_PROBLEM({
    .name = "transpose",
    .summary = "out = the transpose of a matrix",
    .frequency = "high",
    .difficulty = "medium",
    .signature = signature(input<float>("in", dims<0, 1>, draw::any_bits()),
                           output<float>("out", dims<1, 0>), integer("rows", 1, 1 << 20),
                           integer("cols", 1, 1 << 20)),
    .cases = {{{1, 1}, Values::constant},  // constant says nothing about a larger matrix
              {{1, 1025}},
              {{64, 64}, Values::large_magnitude},
              {{132, 36}},
              {{301, 437}},
              {{65537, 2}}},  // a grid has at most 65535 blocks in y
    .large_cases = {{{2047, 2051}}, {{2052, 2048}}, {{65537, 65}}, {{65, 65537}}},
    .bench_shapes = {{4096, 4096}, {8192, 8192}, {4095, 8191}, {1 << 20, 32}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::transpose
