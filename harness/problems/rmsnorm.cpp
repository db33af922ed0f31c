// rmsnorm: residual += x, rounded to bf16; y = residual / sqrt(mean(residual^2) + eps) weight for
// each row of residual[rows, cols]
#include <algorithm>
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::rmsnorm {

// Rows of a constant case are `first`, 0 and 1.5 in turn.
void draw_rows(Array& array, const Case& one_case, const Random& random, double first) {
  draw::as_the_case_says()(array, one_case, random);
  if (one_case.values != Values::constant) return;
  const std::size_t cols = one_case.shape[1];
  const double of_row[] = {first, 0, 1.5};
  for (std::size_t i = 0; i < array.size(); ++i) array.set(i, of_row[i / cols % 3]);
}

// In a constant case x and residual add up to 0 in two of three rows: y is 0 there, not NaN.
void draw_x(Array& x, const Case& one_case, const Random& random) {
  draw_rows(x, one_case, random, 1.5);
}
void draw_residual(Array& residual, const Case& one_case, const Random& random) {
  draw_rows(residual, one_case, random, -1.5);
}

// The residual is exact. A float holds the sum of two bf16 with more than twice the bits of a bf16,
// so rounding it to bf16 gives the same number as rounding the exact sum.
//
// y is rounded once, by half an ulp of bf16. Before that, in units of u = 2^-24:
//   sum of squares  s = max(8, sqrt(cols)) for any order of summation: roundings of a serial sum
//                   add up like a random walk. Half of that in the root.
//   the rest (a quotient, rsqrtf of 2 ulp, two products)  8
double tolerance(double cols, double y) {
  const double u = std::ldexp(1.0, -24);
  const double before = (std::max(8.0, std::sqrt(cols)) + 8) * u * std::fabs(y);
  return before + rounding(Type::bf16, std::fabs(y) + before) + std::ldexp(1.0, -126);
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const Bfloat16> x = inputs[0].as<Bfloat16>();
  const std::span<const Bfloat16> before = inputs[1].as<Bfloat16>();
  const std::span<const Bfloat16> weight = inputs[2].as<Bfloat16>();
  const std::size_t cols = one_case.shape[1];
  const double eps = one_case.reals[0];
  Expected residual{.value = std::vector<double>(x.size())};
  Expected y{.value = std::vector<double>(x.size()), .tolerance = std::vector<double>(x.size())};
  for (std::size_t first = 0; first < x.size(); first += cols) {
    double squares = 0;
    for (std::size_t i = first; i < first + cols; ++i) {
      const double sum = Bfloat16(double{x[i]} + double{before[i]});
      residual.value[i] = sum;
      squares += sum * sum;
    }
    const double scale = 1 / std::sqrt(squares / static_cast<double>(cols) + eps);
    for (std::size_t i = first; i < first + cols; ++i) {
      y.value[i] = residual.value[i] * scale * weight[i - first];
      y.tolerance[i] = tolerance(static_cast<double>(cols), y.value[i]);
    }
  }
  return {residual, y};
}

// x and residual are read, residual and y are written, 2 bytes each. An element takes a sum, a
// square and its sum, and two products.
Cost cost(const Shape& shape) {
  const double cols = shape[1], elements = shape[0] * cols;
  return {.bytes_read = 4 * elements + 2 * cols,
          .bytes_written = 4 * elements,
          .operations = 5 * elements};
}

REGISTER_PROBLEM({
    .name = "rmsnorm",
    .summary = "a residual added, then every row divided by its root mean square, in bf16",
    .frequency = "high",
    .difficulty = "medium",
    .signature = signature(input<Bfloat16>("x", dims<0, 1>, draw_x),
                           in_out<Bfloat16>("residual", dims<0, 1>, draw_residual),
                           input<Bfloat16>("weight", dims<1>, draw::around(1, 0.5)),
                           output<Bfloat16>("y", dims<0, 1>), integer("rows", 1, 1 << 20),
                           integer("cols", 1, 131072), real("eps", 1e-5f)),
    .cases = {{{3, 1}},
              {{9, 12}, Values::normal, {0.5f}},
              {{130, 7}},
              {{6, 768}, Values::constant},
              {{3, 300}, Values::outliers},
              {{3, 1023}, Values::normal, {1e-3f}},  // rows at odd multiples of 2 bytes
              {{17, 1032}},
              {{1, 20008}, Values::large_mean}},  // too long for the registers of a block
    .large_cases = {{{65537, 1}},
                    {{65537, 8}},
                    {{4097, 1023}},
                    {{2049, 4096}, Values::outliers},
                    {{9, 131072}}},
    .bench_shapes = {{8192, 4096}, {65536, 256}, {4096, 1024}, {4096, 1023}},
    .drawn_values = {Values::normal, Values::large_mean, Values::outliers},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::rmsnorm
