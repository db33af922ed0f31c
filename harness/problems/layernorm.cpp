// layernorm: y = (x - mean) / sqrt(var + eps) gamma + beta for each row of x[rows, cols]
#include <cmath>

#include "problems/spec/problem.h"
#include "problems/tolerance/norm_tolerance.h"

namespace kata::problem::layernorm {

// A constant case has rows of 1234.5, whose squares round in float, and rows of 0.
void draw_x(Array& x, const Case& one_case, const Random& random) {
  draw::as_the_case_says()(x, one_case, random);
  if (one_case.values != Values::constant) return;
  const std::size_t cols = one_case.shape[1];
  for (std::size_t i = 0; i < x.size(); ++i) x.set(i, i / cols % 2 == 0 ? 1234.5 : 0);
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> x = inputs[0].as<float>();
  const std::span<const float> gamma = inputs[1].as<float>();
  const std::span<const float> beta = inputs[2].as<float>();
  const std::size_t cols = one_case.shape[1];
  const double eps = one_case.reals[0];
  Expected y{.value = std::vector<double>(x.size()), .tolerance = std::vector<double>(x.size())};
  for (std::size_t first = 0; first < x.size(); first += cols) {
    const std::span<const float> row = x.subspan(first, cols);
    double sum = 0, squares = 0;
    for (double value : row) sum += value;
    const double mean = sum / cols;
    for (double value : row) squares += (value - mean) * (value - mean);
    const double sd = std::sqrt(squares / cols + eps);
    for (std::size_t col = 0; col < cols; ++col) {
      const double xh = (row[col] - mean) / sd;
      y.value[first + col] = xh * gamma[col] + beta[col];
      y.tolerance[first + col] = norm_tolerance(cols, mean, sd, xh, gamma[col], beta[col]);
    }
  }
  return {y};
}

// One read and one write, where a row fits on the chip. Operations for an element: a sum for the
// mean, a difference, a product and a sum for the variance, three products and sums for the result.
Cost cost(const Shape& shape) {
  const double rows = shape[0], cols = shape[1];
  return {.bytes_read = 4 * rows * cols + 8 * cols,
          .bytes_written = 4 * rows * cols,
          .operations = 7 * rows * cols};
}

REGISTER_PROBLEM({
    .name = "layernorm",
    .summary = "every row shifted to mean 0 and scaled to variance 1",
    .frequency = "high",
    .difficulty = "medium",
    .signature = signature(input<float>("x", dims<0, 1>, draw_x),
                           input<float>("gamma", dims<1>, draw::around(1, 0.5)),
                           input<float>("beta", dims<1>, draw::around(0, 1)),
                           output<float>("y", dims<0, 1>), integer("rows", 1, 1 << 20),
                           integer("cols", 1, 131072), real("eps", 1e-5f)),
    .cases = {{{3, 1}},
              {{5, 2}, Values::normal, {0.5f}},
              {{130, 33}},
              {{3, 300}, Values::large_mean},
              {{5, 768}, Values::constant},
              {{3, 1023}, Values::outliers, {1e-3f}},
              {{2, 4100}, Values::large_mean},
              {{1, 66001}, Values::large_mean}},         // too long for the registers of a block
    .large_cases = {{{65537, 2}, Values::all_negative},  // more rows than gridDim.y has
                    {{4097, 1023}},
                    {{2049, 4096}, Values::large_mean},
                    {{9, 131072}}},
    .bench_shapes = {{8192, 4096}, {65536, 256}, {512, 131072}, {4096, 1024}, {4096, 1023}},
    .drawn_values = {Values::normal, Values::large_mean, Values::outliers},
    .reference = reference,
    .cost = cost,
    .cancels = "the variance mean(x^2) - mean(x)^2",
});

}  // namespace kata::problem::layernorm
