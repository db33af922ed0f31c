// quantize_int8: for each row of x[rows, cols], scale = max |x| / 127 and q = x / scale, rounded to
// the nearest whole number, ties to even
#include <algorithm>
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::quantize_int8 {

// Row 0 is as the case says. Of each eight rows, the others are: zeros of both signs; exact ties,
// k + 1/2 with a maximum of 127; one element alone; large; small; the largest element first; the
// largest element last, and negative.
void draw_row(std::span<float> row, std::size_t kind, const Random& random) {
  const std::size_t last = row.size() - 1;
  switch (kind) {
    case 1:
      for (std::size_t i = 0; i <= last; ++i) row[i] = random.below(i, 2) ? 0.0f : -0.0f;
      break;
    case 2:
      for (std::size_t i = 0; i <= last; ++i) {
        row[i] = static_cast<float>(random.below(i, 253)) - 126 + 0.5f;
      }
      row[random.below(last, row.size())] = 127;
      break;
    case 3:
      std::fill(row.begin(), row.end(), 0.0f);
      row[random.below(0, row.size())] = -1000;
      break;
    case 4:
      for (float& x : row) x *= 1e30f;
      break;
    case 5:
      for (float& x : row) x *= 1e-28f;
      row[last / 2] = 1e-27f;
      break;
    case 6:
      row[0] = 2000;
      break;
    case 7:
      row[last] = -2000;
      break;
    default:
      break;
  }
}

void draw_x(Array& x, const Case& one_case, const Random& random) {
  draw::as_the_case_says()(x, one_case, random);
  const std::size_t cols = one_case.shape[1];
  for (std::size_t row = 0; row * cols < x.size(); ++row) {
    draw_row(x.as<float>().subspan(row * cols, cols), row % 8, random.stream(row));
  }
}

float largest_magnitude(std::span<const float> row) {
  float most = 0;
  for (float x : row) most = std::max(most, std::fabs(x));
  return most;
}

// scale: a quotient, or a product with 1 / 127: two roundings. Exactly 1 for a row of zeros.
// q: with t = 127 x / max and u = 2^-24, x / scale and x (127 / max) differ from t by two roundings
// of 2 u |t| at most. Within 8 u max(|t|, 1) of a tie, both neighbours are right. An exact tie is
// the exception where the scale is a power of two: no formula rounds there, and ties go to even.
Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> x = inputs[0].as<float>();
  const std::size_t rows = one_case.shape[0], cols = one_case.shape[1];
  const double u = std::ldexp(1.0, -24);
  Expected q{.value = std::vector<double>(x.size()), .alternative = std::vector<double>(x.size())};
  Expected scale{.value = std::vector<double>(rows), .tolerance = std::vector<double>(rows)};
  for (std::size_t row = 0; row < rows; ++row) {
    const double most = largest_magnitude(x.subspan(row * cols, cols));
    scale.value[row] = most == 0 ? 1 : most / 127;
    scale.tolerance[row] = most == 0 ? 0 : 2 * u * scale.value[row];
    int exponent;
    const bool exact = std::frexp(scale.value[row], &exponent) == 0.5;
    for (std::size_t i = row * cols; i < (row + 1) * cols; ++i) {
      const double t = x[i] / scale.value[row];
      const double from_tie = std::fabs(t - std::floor(t) - 0.5);
      const bool either =
          from_tie <= 8 * u * std::max(std::fabs(t), 1.0) && !(exact && from_tie == 0);
      q.value[i] = std::nearbyint(t);
      q.alternative[i] = either ? std::floor(t) + std::ceil(t) - q.value[i] : q.value[i];
    }
  }
  return {q, scale};
}

// A magnitude and a maximum, a product and a rounding per element.
Cost cost(const Shape& shape) {
  const double rows = shape[0], cols = shape[1];
  return {.bytes_read = 4 * rows * cols,
          .bytes_written = rows * cols + 4 * rows,
          .operations = 4 * rows * cols};
}

REGISTER_PROBLEM({
    .name = "quantize_int8",
    .summary = "every row divided by a scale of its own and rounded to int8",
    .frequency = "medium",
    .difficulty = "medium",
    .signature = signature(input<float>("x", dims<0, 1>, draw_x),
                           output<signed char>("q", dims<0, 1>), output<float>("scale", dims<0>),
                           integer("rows", 1, 1 << 20), integer("cols", 1, 131072)),
    .cases = {{{1, 1}},
              {{9, 3}},
              {{17, 100}, Values::large_magnitude},
              {{9, 256}, Values::all_negative},
              {{9, 1023}},
              {{2, 2049}, Values::far_below_zero},  // x * 127 overflows
              {{4, 4100}},
              {{1, 66001}, Values::largest_last}},
    .large_cases = {{{65537, 2}},  // more rows than gridDim.y has
                    {{4097, 1023}, Values::outliers},
                    {{1025, 4096}},
                    {{9, 131072}}},
    .bench_shapes = {{8192, 4096}, {65536, 256}, {512, 131072}, {4096, 1024}, {8192, 4095}},
    .drawn_values = {Values::normal, Values::outliers, Values::whole_numbers},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::quantize_int8
