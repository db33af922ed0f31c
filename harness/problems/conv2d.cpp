// conv2d: y[r][c] = the sum over a, b of x[r + a][c + b] w[a][b], where the kernel fits the input
#include <algorithm>

#include "problems/spec/problem.h"
#include "problems/tolerance/dot_product.h"

namespace kata::problem::conv2d {

constexpr int largest_kernel = 31;

Dims places(const Shape& shape) {
  return {shape[0] - shape[2] + 1, shape[1] - shape[3] + 1};
}

Shape nearest(Shape shape) {
  const int rows = std::max(shape[0], 1);
  const int cols = std::max(shape[1], 1);
  return {rows, cols, std::clamp(shape[2], 1, std::min(rows, largest_kernel)),
          std::clamp(shape[3], 1, std::min(cols, largest_kernel))};
}

// Each output is a dot product of kernel_rows * kernel_cols terms.
Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> x = inputs[0].as<float>();
  const std::span<const float> w = inputs[1].as<float>();
  const std::size_t cols = one_case.shape[1];
  const std::size_t kernel_rows = one_case.shape[2];
  const std::size_t kernel_cols = one_case.shape[3];
  const Dims out = places(one_case.shape);
  const bool equal = all_equal(x) && all_equal(w);
  const bool whole = all_whole(x) && all_whole(w);
  Expected y;
  for (std::int64_t r = 0; r < out[0]; ++r) {
    for (std::int64_t c = 0; c < out[1]; ++c) {
      Terms terms{.roundings = static_cast<int>(w.size()), .equal = equal, .whole = whole};
      for (std::size_t a = 0; a < kernel_rows; ++a) {
        for (std::size_t b = 0; b < kernel_cols; ++b) {
          const double term =
              static_cast<double>(x[(r + a) * cols + c + b]) * w[a * kernel_cols + b];
          terms.sum += term;
          terms.sum_of_sizes += std::abs(term);
          terms.sum_of_squares += term * term;
        }
      }
      y.value.push_back(terms.sum);
      y.tolerance.push_back(dot_tolerance(terms));
    }
  }
  return {y};
}

Cost cost(const Shape& shape) {
  const double inputs = static_cast<double>(shape[0]) * shape[1];
  const double taps = static_cast<double>(shape[2]) * shape[3];
  const Dims out = places(shape);
  const double outputs = static_cast<double>(out[0]) * static_cast<double>(out[1]);
  return {.bytes_read = 4 * (inputs + taps),
          .bytes_written = 4 * outputs,
          .operations = 2 * taps * outputs};
}

// Sizes: one output; kernels that are not square, in both directions; the largest kernel, on an
// image with a partial tile on two sides; rows of whole float4 and others; more rows than a grid
// has blocks along y.
REGISTER_PROBLEM({
    .name = "conv2d",
    .summary = "a filter slides over an image",
    .frequency = "high",
    .difficulty = "medium",
    .signature = signature(input<float>("x", dims<0, 1>), input<float>("w", dims<2, 3>),
                           output<float>("y", places), integer("rows", 1, 2200003),
                           integer("cols", 1, 8192), integer("kernel_rows", 1, 31),
                           integer("kernel_cols", 1, 31)),
    .limits = {"the filter fits the input and is at most 31 x 31", nearest},
    .cases = {{{1, 1, 1, 1}},
              {{7, 5, 7, 5}},
              {{39, 70, 2, 5}},
              {{70, 39, 5, 2}, Values::outliers},
              {{37, 132, 3, 3}},
              {{43, 136, 7, 7}, Values::whole_numbers},
              {{41, 133, 5, 5}},
              {{50, 45, 31, 31}, Values::whole_numbers}},
    .large_cases = {{{65540, 2, 3, 1}},
                    {{2200003, 3, 2, 2}},
                    {{1025, 1023, 15, 15}},
                    {{515, 1028, 5, 5}, Values::outliers},
                    {{300, 500, 31, 31}, Values::whole_numbers}},
    .bench_shapes = {{4096, 4096, 7, 7},
                     {4096, 4096, 3, 3},
                     {4096, 4096, 31, 31},
                     {4095, 4095, 5, 5},
                     {3072, 3072, 15, 15}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::conv2d
