// gemm_bias_gelu: C = gelu(A B + bias) in bf16, summed in float, rounded once; A is [M, K], B is
// [K, N], bias has N elements, C is [M, N], all row-major. gelu(x) = x / 2 (1 + erf(x / sqrt 2)).
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::gemm_bias_gelu {

// N(0, 1) times N(0, 2 / sqrt K): sums of N(0, 2), where GELU bends. Positive factors make sums
// that grow with K, all negative cases have small sums, so that the bias decides. In a tiny case A
// is below what half holds and all else of one size, so that sums are far above the tolerance.
void draw_B(Array& B, const Case& one_case, const Random& random) {
  if (one_case.values == Values::positive) return draw::positive()(B, one_case, random);
  if (one_case.values == Values::tiny) return draw::uniform(2, 9)(B, one_case, random);
  const double spread = one_case.values == Values::all_negative ? 0.1 : 2;
  draw::around(0, spread / std::sqrt(one_case.shape[2]))(B, {.shape = one_case.shape}, random);
}
void draw_A(Array& A, const Case& one_case, const Random& random) {
  if (one_case.values == Values::positive) return draw::positive()(A, one_case, random);
  if (one_case.values == Values::tiny) return draw::uniform(0x1p-27, 0x1p-25)(A, one_case, random);
  draw::around(0, 1)(A, {.shape = one_case.shape}, random);
}

// All negative: -4 to -2, where the tanh form of GELU is off most. Large mean: 1000.
void draw_bias(Array& bias, const Case& one_case, const Random& random) {
  if (one_case.values == Values::all_negative) {
    return draw::uniform(-4, -2)(bias, one_case, random);
  }
  if (one_case.values == Values::tiny) return draw::uniform(-1e-6, 1e-6)(bias, one_case, random);
  const double mean = one_case.values == Values::large_mean ? 1000 : 0;
  draw::around(mean, 1)(bias, {.shape = one_case.shape}, random);
}

// The sum is off by e = 2^-23 of the sum of sizes per 8 products, as in hgemm, and by a rounding
// when the bias is added. The slope of GELU is at most 1.13. 1 + erf cancels for negative sums and
// costs 1e-6 at most. The result is rounded to bf16 once. The tanh form is off by 4e-4 near -3,
// where half an ulp of bf16 is 8e-6.
double tolerance(double y, double sum, double sum_of_sizes, double K) {
  const double e = std::ldexp(1.0, -23);
  const double in_float = 1.13 * e * ((K / 8 + 8) * sum_of_sizes + std::fabs(sum)) + 1e-6;
  return in_float + rounding(Type::bf16, std::fabs(y) + in_float);
}

double gelu(double x) {
  return 0.5 * x * std::erfc(-x * std::sqrt(0.5));  // no cancellation
}

/// What becomes of a sum of products and its bias.
using Epilogue = double (*)(double sum, double bias);

Outputs product(const Inputs& inputs, const Case& one_case, Epilogue epilogue,
                bool bias_by_row = false) {
  const std::span<const Bfloat16> a = inputs[0].as<Bfloat16>(), b = inputs[1].as<Bfloat16>();
  const std::vector<float> A(a.begin(), a.end()), B(b.begin(), b.end());
  const std::size_t M = one_case.shape[0], N = one_case.shape[1], K = one_case.shape[2];
  Expected C{.value = std::vector<double>(M * N), .tolerance = std::vector<double>(M * N)};
  std::vector<double> sum(N), sizes(N);
  for (std::size_t row = 0; row < M; ++row) {
    for (std::size_t col = 0; col < N; ++col) {
      sum[col] = 0;
      sizes[col] = 0;
    }
    for (std::size_t k = 0; k < K; ++k) {
      for (std::size_t col = 0; col < N; ++col) {
        const double term = double{A[row * K + k]} * B[k * N + col];
        sum[col] += term;
        sizes[col] += std::fabs(term);
      }
    }
    for (std::size_t col = 0; col < N; ++col) {
      const double bias = inputs[2][bias_by_row ? row % N : col], x = sum[col] + bias;
      const double y = epilogue(sum[col], bias);
      C.value[row * N + col] = y;
      C.tolerance[row * N + col] = tolerance(y, x, sizes[col], static_cast<double>(K));
    }
  }
  return {C};
}

double bias_then_gelu(double sum, double bias) {
  return gelu(sum + bias);
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return product(inputs, one_case, bias_then_gelu);
}

auto instead(Epilogue epilogue) {
  return [epilogue](const Inputs& inputs, const Case& one_case) {
    return product(inputs, one_case, epilogue);
  };
}

const std::vector<Mistake> mistakes{
    {"without gelu", instead([](double sum, double bias) { return sum + bias; })},
    {"without the bias", instead([](double sum, double) { return gelu(sum); })},
    {"if the bias were added after gelu",
     instead([](double sum, double bias) { return gelu(sum) + bias; })},
    {"with the tanh form of gelu, not erf", instead([](double sum, double bias) {
       const double x = sum + bias;
       return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
     })},
    {"with the sigmoid form of gelu, x / (1 + exp(-1.702 x)), not erf",
     instead([](double sum, double bias) {
       const double x = sum + bias;
       return x / (1 + std::exp(-1.702 * x));
     })},
    {"if bias[row] were added, not bias[column]",
     [](const Inputs& inputs, const Case& one_case) {
       return product(inputs, one_case, bias_then_gelu, true);
     }},
};

Cost cost(const Shape& shape) {
  const double M = shape[0], N = shape[1], K = shape[2];
  return {.bytes_read = 2 * (M * K + K * N + N),
          .bytes_written = 2 * M * N,
          .operations = 2 * M * N * K,
          .unit = ArithmeticUnit::tensor_bf16};
}

REGISTER_PROBLEM({
    .name = "gemm_bias_gelu",
    .summary = "C = gelu(A B + bias) in bf16, for tensor cores",
    .frequency = "high",
    .difficulty = "hard",
    .signature = signature(input<Bfloat16>("A", dims<0, 2>, draw_A),
                           input<Bfloat16>("B", dims<2, 1>, draw_B),
                           input<Bfloat16>("bias", dims<1>, draw_bias),
                           output<Bfloat16>("C", dims<0, 1>), integer("M", 1, 16384),
                           integer("N", 1, 16384), integer("K", 1, 16384)),
    .cases = {{{1, 1, 1}},
              {{65, 67, 15}},
              {{64, 64, 40}},  // bias by row or by column?
              {{34, 40, 64}, Values::all_negative},
              {{9, 16, 33}, Values::large_mean},
              {{129, 8, 17}},
              {{8, 24, 1032}, Values::tiny},
              {{8, 24, 1032}, Values::positive}},  // bf16 sums stop growing
    .large_cases = {{{513, 511, 509}},
                    {{512, 512, 512}, Values::all_negative},
                    {{1024, 8191, 40}},
                    {{8192, 8, 1000}},
                    {{256, 256, 8192}, Values::positive}},
    .bench_shapes = {{4096, 4096, 4096}, {4096, 4096, 1024}, {8192, 8192, 8192}},
    .drawn_values = {Values::normal, Values::all_negative, Values::positive},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::gemm_bias_gelu
