// w4a16_gemv: y = W x with 4-bit weights and half activations. W is [M, K / 8] words of eight
// weights: bits 4j .. 4j + 3 hold weight j plus 8. Each 128 weights of a row have one scale.
#include <algorithm>
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::w4a16_gemv {

constexpr int weights_per_word = 8, weights_per_scale = 128;

Dims words(const Shape& shape) {
  return {shape[0], shape[1] / weights_per_word};
}
Dims scales(const Shape& shape) {
  return {shape[0], shape[1] / weights_per_scale};
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

// Large magnitudes are so large that sums of a few unscaled products do not fit a half. Few
// distinct weights meet ordinary activations.
void draw_x(Array& x, const Case& one_case, const Random& random) {
  if (one_case.values == Values::few_distinct) return draw::around(0, 1)(x, one_case, random);
  draw::as_the_case_says()(x, one_case, random);
  if (one_case.values != Values::large_magnitude) return;
  for (std::size_t i = 0; i < x.size(); ++i) x.set(i, 40 * x[i]);
}

// What the tolerance of one result is made of: sums of squares.
struct Squares {
  double products = 0;       // (scale (q - 8) x)^2
  double equal_weights = 0;  // the same, with all products of one weight in a group added up first
  double eights = 0;         // (scale 8 x)^2
};

// In units of h = 2^-11, half an ulp of a half, the errors of a right kernel are:
//   half sums   of up to 32 products, 4.3 sqrt(products), measured on random rows; of 128 products,
//               8 sqrt(products). 6 are allowed.
//   weights     rounded to half: at most 1 each, but alike for equal weights of a group. 3
//               sqrt(equal_weights) are allowed.
//   result      rounded once: 1 |y|
// Float sums add next to nothing, except where all weights are 0 and a kernel subtracts 8 sum x
// from sum q x: 4 u sqrt(K) sqrt(eights) with u = 2^-24, as for any float sum.
double tolerance(double y, const Squares& squares, double K) {
  const double h = std::ldexp(1.0, -11), u = std::ldexp(1.0, -24);
  const double of_sum = h * std::sqrt(36 * squares.products + 9 * squares.equal_weights) +
                        4 * u * std::sqrt(K * squares.eights);
  return of_sum + rounding(Type::f16, std::fabs(y) + of_sum);
}

/// What varies between the operator and what is taken for it.
struct Formula {
  std::size_t (*place)(std::size_t j) = [](std::size_t j) { return j; };  ///< of weight j
  int (*weight)(int q, std::size_t j) = [](int q, std::size_t) { return q - 8; };
  std::size_t (*group)(std::size_t k) = [](std::size_t k) { return k / weights_per_scale; };
};

Outputs product(const Inputs& inputs, const Case& one_case, const Formula& formula) {
  const std::span<const unsigned> W = inputs[0].as<unsigned>();
  const std::span<const Half> scale = inputs[1].as<Half>(), halves = inputs[2].as<Half>();
  const std::vector<float> x(halves.begin(), halves.end());
  const std::size_t M = one_case.shape[0], K = one_case.shape[1];
  Expected y{.value = std::vector<double>(M), .tolerance = std::vector<double>(M)};
  for (std::size_t row = 0; row < M; ++row) {
    Squares squares;
    double sum = 0;
    for (std::size_t group = 0; group < K / weights_per_scale; ++group) {
      const double s =
          scale[row * (K / weights_per_scale) + formula.group(group * weights_per_scale)];
      double by_weight[16] = {};  // sums of x
      double sum_of_x_squared = 0;
      for (std::size_t k = group * weights_per_scale; k < (group + 1) * weights_per_scale; ++k) {
        const unsigned word = W[(row * K + k) / weights_per_word];
        const std::size_t j = k % weights_per_word;
        const unsigned q = word >> 4 * formula.place(j) & 15;
        const double product = s * formula.weight(static_cast<int>(q), j) * x[k];
        sum += product;
        squares.products += product * product;
        by_weight[q] += x[k];
        sum_of_x_squared += static_cast<double>(x[k]) * x[k];
      }
      for (int q = 0; q < 16; ++q) squares.equal_weights += std::pow(s * (q - 8) * by_weight[q], 2);
      squares.eights += 64 * s * s * sum_of_x_squared;
    }
    y.value[row] = sum;
    y.tolerance[row] = tolerance(sum, squares, static_cast<double>(K));
  }
  return {y};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return product(inputs, one_case, {});
}

auto instead(const Formula& formula) {
  return [formula](const Inputs& inputs, const Case& one_case) {
    return product(inputs, one_case, formula);
  };
}

int with_sign(int q) {
  return q < 8 ? q : q - 16;
}

const std::vector<Mistake> mistakes{
    {"if 8 were not subtracted from the stored weights",
     instead({.weight = [](int q, std::size_t) { return q; }})},
    {"if 7, not 8, were subtracted from the stored weights",
     instead({.weight = [](int q, std::size_t) { return q - 7; }})},
    {"if the 4 bits were a number with a sign (two's complement); they hold the weight plus 8",
     instead({.weight = [](int q, std::size_t) { return with_sign(q); }})},
    {"if weight 7 of a word came from a shift of an int, which repeats the sign bit",
     instead({.weight = [](int q, std::size_t j) { return (j == 7 ? with_sign(q) : q) - 8; }})},
    {"if the highest bits of a word held its first weight",
     instead({.place = [](std::size_t j) { return 7 - j; }})},
    {"if the two weights of each byte were exchanged",
     instead({.place = [](std::size_t j) { return j ^ 1; }})},
    {"if weights 0 and 4, 1 and 5, ... of a word were neighbours",
     instead({.place = [](std::size_t j) { return j / 2 + 4 * (j % 2); }})},
    {"if each scale held for 256 weights, not 128, or the first of a row for all of them",
     instead({.group = [](std::size_t k) { return k / 256; }})},
    {"if the first scale of a row held for all its weights",
     instead({.group = [](std::size_t) { return std::size_t{0}; }})},
};

Cost cost(const Shape& shape) {
  const double M = shape[0], K = shape[1];
  return {.bytes_read = M * K / 2 + 2 * M * K / weights_per_scale + 2 * K,
          .bytes_written = 2 * M,
          .operations = 2 * M * K,
          .unit = ArithmeticUnit::tensor_f16};
}

REGISTER_PROBLEM({
    .name = "w4a16_gemv",
    .summary = "y = W x with 4-bit weights and half activations",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(input<unsigned>("W", words, draw_words),
                           input<Half>("scale", scales, draw_scales),
                           input<Half>("x", dims<1>, draw_x), output<Half>("y", dims<0>),
                           integer("M", 1, 131072), integer("K", 128, 32768)),
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
              {{3, 17024}},
              {{4245, 128}}},
    .large_cases = {{{70001, 128}},  // more rows than gridDim.y has
                    {{4096, 4096}, Values::large_magnitude},
                    {{1001, 14336}}},
    .bench_shapes = {{28672, 8192}, {11008, 4096}, {4096, 4096}},
    .drawn_values = {Values::normal, Values::outliers, Values::large_magnitude},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::w4a16_gemv
