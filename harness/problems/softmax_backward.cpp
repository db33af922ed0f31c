// softmax_backward: dx = y (dy - sum of y dy) for each row, where y is the softmax of that row and
// dy the gradient of its output
#include <cmath>

#include "problems/spec/problem.h"
#include "problems/tolerance/dot_product.h"

namespace kata::problem::softmax_backward {

// Softmax of normal numbers, or of numbers 100 times as large: then y is nearly one-hot, and dx
// nearly 0. Whole, uniform and negative numbers are drawn as the case says: the formula holds for
// any y.
void draw_y(Array& y, const Case& one_case, const Random& random) {
  switch (one_case.values) {
    case Values::whole_numbers:
    case Values::uniform:
    case Values::all_negative:
      return draw::as_the_case_says()(y, one_case, random);
    default:
      break;
  }
  const double scale = one_case.values == Values::large_magnitude ? 100 : 1;
  const std::size_t cols = one_case.shape[1];
  std::vector<double> e(cols);
  for (std::size_t first = 0; first < y.size(); first += cols) {
    double max = -HUGE_VAL, sum = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      e[c] = scale * random.normal(first + c);
      max = std::max(max, e[c]);
    }
    for (double& value : e) sum += value = std::exp(value - max);
    for (std::size_t c = 0; c < cols; ++c) y.set(first + c, e[c] / sum);
  }
}

// The error of a right kernel, with u = 2^-24 and s = sum of y dy:
//   s         that of a dot product: dot_tolerance().
//   the rest  y (dy - s) rounds the difference and the product, y dy - y s both products and their
//             difference: 3 u |y| (|dy| + |s|) allows either.
// Whole numbers round nowhere, as long as all numbers stay below 2^24.
Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> y = inputs[0].as<float>();
  const std::span<const float> dy = inputs[1].as<float>();
  const std::size_t cols = one_case.shape[1];
  const double u = std::ldexp(1.0, -24);
  Expected dx{.value = std::vector<double>(y.size()), .tolerance = std::vector<double>(y.size())};
  for (std::size_t first = 0; first < y.size(); first += cols) {
    const std::span<const float> row_y = y.subspan(first, cols);
    const std::span<const float> row_dy = dy.subspan(first, cols);
    Terms terms{.roundings = static_cast<int>(cols) + 1,
                .equal = all_equal(row_y) && all_equal(row_dy),
                .whole = all_whole(row_y) && all_whole(row_dy)};
    double most_y = 0, most_dy = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      const double term = static_cast<double>(row_y[c]) * row_dy[c];
      terms.sum += term;
      terms.sum_of_sizes += std::abs(term);
      terms.sum_of_squares += term * term;
      most_y = std::max(most_y, std::abs(static_cast<double>(row_y[c])));
      most_dy = std::max(most_dy, std::abs(static_cast<double>(row_dy[c])));
    }
    const bool exact = terms.whole && most_y * (most_dy + terms.sum_of_sizes) <= 1 / u;
    const double of_sum = dot_tolerance(terms);
    for (std::size_t c = 0; c < cols; ++c) {
      const double rounded = 3 * u * (std::abs(row_dy[c]) + std::abs(terms.sum));
      dx.value[first + c] = row_y[c] * (row_dy[c] - terms.sum);
      dx.tolerance[first + c] =
          exact ? 0 : std::abs(row_y[c]) * (of_sum + rounded) + std::ldexp(1.0, -126);
    }
  }
  return {dx};
}

/// `formula` of y and dy at an element, and of the sums of y dy and of dy over its row.
template <class Formula>
Mistake mistake(std::string what, Formula formula) {
  return {std::move(what), [formula](const Inputs& inputs, const Case& one_case) {
            const std::size_t cols = one_case.shape[1];
            Expected dx{.value = std::vector<double>(inputs[0].size()),
                        .tolerance = std::vector<double>(inputs[0].size())};
            for (std::size_t first = 0; first < dx.value.size(); first += cols) {
              double products = 0, gradients = 0;
              for (std::size_t i = first; i < first + cols; ++i) {
                products += inputs[0][i] * inputs[1][i];
                gradients += inputs[1][i];
              }
              for (std::size_t i = first; i < first + cols; ++i) {
                const double y = inputs[0][i], dy = inputs[1][i];
                dx.value[i] = formula(y, dy, products, gradients);
                const double terms = std::abs(dy) + std::abs(products) + std::abs(gradients);
                dx.tolerance[i] = 1e-5 * (std::abs(dx.value[i]) + std::abs(y) * terms);
              }
            }
            return Outputs{dx};
          }};
}

const std::vector<Mistake> mistakes{
    mistake("without the factor y in front: dy - sum of y dy",
            [](double, double dy, double products, double) { return dy - products; }),
    mistake("with the diagonal of the Jacobian alone: y (1 - y) dy",
            [](double y, double dy, double, double) { return y * (1 - y) * dy; }),
    mistake("if the sum were of dy, not of y dy",
            [](double y, double dy, double, double gradients) { return y * (dy - gradients); }),
    mistake("without the sum: y dy", [](double y, double dy, double, double) { return y * dy; }),
    mistake(
        "with the gradient of log-softmax: dy - exp(y) times the sum of dy",
        [](double y, double dy, double, double gradients) { return dy - std::exp(y) * gradients; }),
    mistake("with the gradient of log-softmax by its input: dy - y times the sum of dy",
            [](double y, double dy, double, double gradients) { return dy - y * gradients; }),
};

// Two reads and one write, where a row fits on the chip. Operations for an element: a product and a
// sum, a difference and a product.
Cost cost(const Shape& shape) {
  const double elements = static_cast<double>(shape[0]) * shape[1];
  return {.bytes_read = 8 * elements, .bytes_written = 4 * elements, .operations = 4 * elements};
}

// One lost element of a long row is within the tolerance of a sum that rounds. So the rows of the
// lengths around which kernels change their path hold whole numbers, too.
REGISTER_PROBLEM({
    .name = "softmax_backward",
    .summary = "the gradient of softmax by its input, for every row of a matrix",
    .frequency = "medium",
    .difficulty = "medium",
    .signature = signature(input<float>("y", dims<0, 1>, draw_y), input<float>("dy", dims<0, 1>),
                           output<float>("dx", dims<0, 1>), integer("rows", 1, 1 << 20),
                           integer("cols", 1, 262144)),
    .cases = {{{3, 1}},
              {{65, 2}, Values::uniform},
              {{131, 31}},
              {{33, 33}, Values::outliers},
              {{257, 4}, Values::positive},
              {{5, 1000}, Values::large_magnitude},
              {{3, 1023}, Values::whole_numbers},
              {{2, 4096}, Values::whole_numbers},
              {{3, 4100}, Values::constant},
              {{2, 12289}, Values::whole_numbers},
              {{1, 66001}, Values::whole_numbers}},  // too long for the registers of a block
    .large_cases = {{{65537, 3}, Values::outliers},
                    {{4097, 1023}},
                    {{2049, 4096}, Values::whole_numbers},
                    {{16, 131075}, Values::whole_numbers},
                    {{9, 262144}, Values::whole_numbers}},
    .bench_shapes = {{8192, 4096}, {65536, 256}, {512, 131072}, {4096, 1023}, {2048, 16384}},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::softmax_backward
