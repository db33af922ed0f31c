// w4a16_gemv: y = W x with 4-bit weights and half activations. W is [M, K / 8] words of eight
// weights: bits 4j .. 4j + 3 hold weight j plus 8. Each 128 weights of a row have one scale.
#include <algorithm>
#include <cmath>

#include "problems/problem.h"

namespace kata {
namespace {

constexpr int weights_per_word = 8, weights_per_scale = 128;

Dims words(const Shape& shape) {
  return {shape[0], shape[1] / weights_per_word};
}
Dims scales(const Shape& shape) {
  return {shape[0], shape[1] / weights_per_scale};
}
Dims one_per_col(const Shape& shape) {
  return {shape[1]};
}
Dims one_per_row(const Shape& shape) {
  return {shape[0]};
}

// Random words. Where few are distinct, a row holds one word all over: ascending weights, the
// lowest weight, the highest, or 0 (stored as 8), for which y is 0.
void draw_words(Array& W, const Case& one_case, const Random& random) {
  constexpr unsigned special[] = {0x76543210, 0, 0xffffffff, 0x88888888};
  draw::as_the_case_says()(W, one_case, random);
  if (one_case.values != Values::few_distinct) return;
  const std::size_t words_per_row = one_case.shape[1] / weights_per_word;
  for (std::size_t i = 0; i < W.size(); ++i) {
    W.as<unsigned>()[i] = special[i / words_per_row % std::size(special)];
  }
}

// Neighbouring groups differ by a factor of up to 16, and one scale in 32 is 0.
void draw_scales(Array& scale, const Case&, const Random& random) {
  for (std::size_t i = 0; i < scale.size(); ++i) {
    const bool zero = scale.size() > 32 && random.below(i, 32) == 0;
    scale.set(i, zero ? 0 : std::exp2(-10 + 4 * random.uniform(i)));
  }
}

// Large magnitudes are so large that sums of a few unscaled products do not fit a half.
void draw_x(Array& x, const Case& one_case, const Random& random) {
  draw::as_the_case_says()(x, one_case, random);
  if (one_case.values != Values::large_magnitude) return;
  for (std::size_t i = 0; i < x.size(); ++i) x.set(i, 40 * x[i]);
}

// With h = 2^-11, half an ulp of a half, and B = sqrt(sum (w x)^2): the result is rounded once,
// h |y|. Weights rounded to half err by h |w x| each, which adds up to 0.9 h B, and half sums of up
// to 32 products to 4.3 h B (measured on random rows): 6 h B are allowed. Half sums of 128 products
// are off by 8 h B. Float sums add next to nothing, except where all weights are 0 and a kernel
// subtracts 8 sum x from sum q x: 4 u sqrt(K) sqrt(sum (8 scale x)^2), as for any float sum.
double tolerance(double y, double sum_of_squares, double sum_of_squares_of_8, double K) {
  const double h = std::ldexp(1.0, -11), u = std::ldexp(1.0, -24);
  const double of_sum =
      6 * h * std::sqrt(sum_of_squares) + 4 * u * std::sqrt(K * sum_of_squares_of_8);
  return of_sum + rounding(Type::f16, std::fabs(y) + of_sum);
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const unsigned> W = inputs[0].as<unsigned>();
  const std::span<const Half> scale = inputs[1].as<Half>(), halves = inputs[2].as<Half>();
  const std::vector<float> x(halves.begin(), halves.end());
  const std::size_t M = one_case.shape[0], K = one_case.shape[1];
  Expected y{.value = std::vector<double>(M), .tolerance = std::vector<double>(M)};
  for (std::size_t row = 0; row < M; ++row) {
    double sum = 0, squares = 0, squares_of_8 = 0;
    for (std::size_t k = 0; k < K; ++k) {
      const unsigned word = W[(row * K + k) / weights_per_word];
      const int q = static_cast<int>(word >> 4 * (k % weights_per_word) & 15) - 8;
      const double scaled = scale[(row * K + k) / weights_per_scale] * static_cast<double>(x[k]);
      sum += q * scaled;
      squares += q * q * scaled * scaled;
      squares_of_8 += 64 * scaled * scaled;
    }
    y.value[row] = sum;
    y.tolerance[row] = tolerance(sum, squares, squares_of_8, static_cast<double>(K));
  }
  return {y};
}

Cost cost(const Shape& shape) {
  const double M = shape[0], K = shape[1];
  return {.bytes_read = M * K / 2 + 2 * M * K / weights_per_scale + 2 * K,
          .bytes_written = 2 * M,
          .operations = 2 * M * K};
}

const RegisterProblem registered{{
    .name = "w4a16_gemv",
    .summary = "y = W x with 4-bit weights and half activations",
    .frequency = "medium",
    .difficulty = "hard",
    .signature =
        signature(input<unsigned>("W", words, draw_words),
                  input<Half>("scale", scales, draw_scales), input<Half>("x", one_per_col, draw_x),
                  output<Half>("y", one_per_row), integer("M"), integer("K")),
    .limits = {"K is a multiple of 128",
               [](Shape shape) -> Shape {
                 const int groups = std::max(shape[1] / weights_per_scale, 1);
                 return {std::max(shape[0], 1), groups * weights_per_scale};
               }},
    .cases = {{{1, 128}},
              {{3, 384}},
              {{67, 256}, Values::large_magnitude},
              {{6, 256}, Values::few_distinct},
              {{21, 1152}},
              {{9, 4096}, Values::outliers},
              {{8, 4096}, Values::large_magnitude},
              {{5, 11008}}},
    .large_cases = {{{70001, 128}},  // more rows than gridDim.y has
                    {{4096, 4096}, Values::large_magnitude},
                    {{1001, 14336}}},
    .bench_shapes = {{28672, 8192}, {11008, 4096}, {4096, 4096}},
    .drawn_values = {Values::normal, Values::outliers, Values::large_magnitude},
    .reference = reference,
    .cost = cost,
}};

}  // namespace
}  // namespace kata
