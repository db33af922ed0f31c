// hgemm: C = alpha A B + beta C in half, summed in float; A is [M, K], B is [K, N], C is [M, N],
// all row-major. With beta 0, C is not read.
#include <cmath>
#include <limits>

#include "problems/spec/problem.h"

namespace kata::problem::hgemm {

// Large magnitudes are positive and A B is about 70000, more than a half holds, until beta C is
// added. Subnormal cases have products of about 1e-6, below the smallest normal half.
void draw_factor(Array& x, const Case& one_case, const Random& random) {
  const double K = one_case.shape[2];
  if (one_case.values == Values::large_magnitude) {
    const double size = std::sqrt(70000 / K);
    return draw::uniform(0.5 * size, 1.5 * size)(x, one_case, random);
  }
  if (one_case.values == Values::subnormal) {
    return draw::around(0, std::ldexp(1.0, -10) / std::pow(K, 0.25))(x, {.shape = one_case.shape},
                                                                     random);
  }
  draw::as_the_case_says()(x, one_case, random);
}

// NaN where C must not be read.
void draw_C(Inputs& inputs, const Case& one_case, const Random& random) {
  Array& C = inputs[2];
  if (one_case.values == Values::large_magnitude) {
    draw::uniform(20000, 30000)(C, one_case, random);
  } else {
    draw::around(0, 1)(C, {.shape = one_case.shape}, random);
  }
  if (one_case.reals[1] != 0) return;
  for (std::size_t i = 0; i < C.size(); ++i) C.set(i, std::numeric_limits<double>::quiet_NaN());
}

// Products of two halves are exact in float. Hopper's tensor cores add 16 of them at a time and
// truncate, so a step is off by at most e = 2^-23 of the sum of sizes S. A chain of K float
// multiply-adds makes K roundings of 2^-24, which add up like a random walk. (K / 8 + 8) e S covers
// both and is still far below the error of a half accumulator (0.3 % of S at K = 1024). beta C is
// one product and one sum; the result is rounded to half once.
double tolerance(double c, double sum_of_sizes, double addend, double K) {
  const double e = std::ldexp(1.0, -23);
  const double in_float = (K / 8 + 8) * e * sum_of_sizes + 2 * e * std::fabs(addend);
  return in_float + rounding(Type::f16, std::fabs(c) + in_float);
}

Outputs product(const Inputs& inputs, const Case& one_case, double alpha, double beta) {
  const std::span<const Half> a = inputs[0].as<Half>(), b = inputs[1].as<Half>();
  const std::vector<float> A(a.begin(), a.end()), B(b.begin(), b.end());
  const std::size_t M = one_case.shape[0], N = one_case.shape[1], K = one_case.shape[2];
  Expected C{.value = std::vector<double>(M * N), .tolerance = std::vector<double>(M * N)};
  std::vector<double> sum(N), sizes(N);
  for (std::size_t row = 0; row < M; ++row) {
    sum.assign(N, 0);
    sizes.assign(N, 0);
    for (std::size_t k = 0; k < K; ++k) {
      for (std::size_t col = 0; col < N; ++col) {
        const double term = double{A[row * K + k]} * B[k * N + col];
        sum[col] += term;
        sizes[col] += std::fabs(term);
      }
    }
    for (std::size_t col = 0; col < N; ++col) {
      const std::size_t i = row * N + col;
      const double addend = beta == 0 ? 0 : beta * inputs[2][i];
      C.value[i] = alpha * sum[col] + addend;
      C.tolerance[i] =
          tolerance(C.value[i], std::fabs(alpha) * sizes[col], addend, static_cast<double>(K));
    }
  }
  return {C};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return product(inputs, one_case, one_case.reals[0], one_case.reals[1]);
}

const std::vector<Mistake> mistakes{
    {"if alpha multiplied beta C, too",
     [](const Inputs& inputs, const Case& one_case) {
       const double alpha = one_case.reals[0];
       return product(inputs, one_case, alpha, alpha * one_case.reals[1]);
     }},
};

// With beta 0, as in the timed shapes.
Cost cost(const Shape& shape) {
  const double M = shape[0], N = shape[1], K = shape[2];
  return {.bytes_read = 2 * (M * K + K * N),
          .bytes_written = 2 * M * N,
          .operations = 2 * M * N * K,
          .unit = ArithmeticUnit::tensor_f16};
}

REGISTER_PROBLEM({
    .name = "hgemm",
    .summary = "C = alpha A B + beta C in half precision, for tensor cores",
    .frequency = "high",
    .difficulty = "hard",
    .signature = signature(input<Half>("A", dims<0, 2>, draw_factor),
                           input<Half>("B", dims<2, 1>, draw_factor), in_out<Half>("C", dims<0, 1>),
                           integer("M", 1, 16384), integer("N", 1, 16384), integer("K", 1, 16384),
                           real("alpha", 1), real("beta", 0)),
    .cases = {{{1, 1, 1}},
              {{129, 127, 15}, Values::normal, {0.5f, 0}},
              {{129, 72, 40}, Values::normal, {0.5f, -1}},  // the same M as before
              {{16, 32, 128}, Values::large_magnitude, {1, -1}},
              {{67, 1, 17}, Values::normal, {-2, 0.5f}},
              {{40, 16, 32}, Values::subnormal},
              {{65, 33, 66}},
              {{8, 24, 1032}, Values::positive}},  // half sums are off by more than the tolerance
    .large_cases = {{{513, 511, 509}, Values::normal, {0.5f, 2}},
                    {{512, 512, 512}, Values::large_magnitude, {1, -1}},
                    {{1024, 8191, 40}},
                    {{8192, 8, 1000}, Values::normal, {1, 1}},
                    {{8, 8192, 1000}},
                    {{256, 256, 16384}, Values::positive}},
    .bench_shapes = {{4096, 4096, 4096},
                     {2048, 2048, 2048},
                     {4095, 4095, 4095},
                     {4096, 11008, 4096},
                     {8192, 8192, 8192}},
    .drawn_values = {Values::normal, Values::positive, Values::subnormal},
    .arrange = draw_C,
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::hgemm
