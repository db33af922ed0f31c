// gemm_reduce_scatter: each of several devices gets some rows of A[0] B[0] + A[1] B[1] + ..., where
// device g has A[g] and B[g]; in bf16, summed in float. Each product may be rounded once before it
// is added.
#include <algorithm>
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::gemm_reduce_scatter {

Dims results(const Shape& shape) {
  return {shape[3], shape[0] / shape[3], shape[1]};
}

// Large magnitudes: in column n the product of device n % gpus is 384 times as large as the others.
// A sum in bf16 loses those in any order.
void arrange(Inputs& inputs, const Case& one_case, const Random&) {
  if (one_case.values != Values::large_magnitude) return;
  const std::size_t N = one_case.shape[1], K = one_case.shape[2], gpus = one_case.shape[3];
  Array& B = inputs[1];
  for (std::size_t i = 0; i < B.size(); ++i)
    B.set(i, std::fabs(B[i]) * (i % N % gpus == i / (K * N) ? 3.84 : 0.01));
  for (std::size_t i = 0; i < inputs[0].size(); ++i) inputs[0].set(i, std::fabs(inputs[0][i]));
}

/// Of one device's product: off by e = 2^-23 of the sum of sizes per 8 terms, as in hgemm.
double error_of_part(double sum_of_sizes, double K) {
  return (K / 8 + 8) * std::ldexp(1.0, -23) * sum_of_sizes;
}

// A part that travels is rounded to bf16. They are added in float, in any order, and the sum is
// rounded once.
Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const Bfloat16> a = inputs[0].as<Bfloat16>(), b = inputs[1].as<Bfloat16>();
  const std::vector<float> A(a.begin(), a.end()), B(b.begin(), b.end());
  const std::size_t M = one_case.shape[0], N = one_case.shape[1], K = one_case.shape[2],
                    gpus = one_case.shape[3];
  Expected C{.value = std::vector<double>(M * N), .tolerance = std::vector<double>(M * N)};
  std::vector<double> part(N), sizes(N), sum_of_parts(N);
  for (std::size_t row = 0; row < M; ++row) {
    double* const sum = &C.value[row * N];
    double* const error = &C.tolerance[row * N];
    std::ranges::fill(sum_of_parts, 0);
    for (std::size_t g = 0; g < gpus; ++g) {
      std::ranges::fill(part, 0);
      std::ranges::fill(sizes, 0);
      for (std::size_t k = 0; k < K; ++k) {
        for (std::size_t col = 0; col < N; ++col) {
          const double term = double{A[(g * M + row) * K + k]} * B[(g * K + k) * N + col];
          part[col] += term;
          sizes[col] += std::fabs(term);
        }
      }
      for (std::size_t col = 0; col < N; ++col) {
        const double in_float = error_of_part(sizes[col], static_cast<double>(K));
        sum[col] += part[col];
        sum_of_parts[col] += std::fabs(part[col]) + in_float;
        error[col] += in_float;
        if (gpus > 1) error[col] += rounding(Type::bf16, std::fabs(part[col]) + in_float);
      }
    }
    for (std::size_t col = 0; col < N; ++col) {
      error[col] += static_cast<double>(gpus) * std::ldexp(1.0, -24) * sum_of_parts[col];
      error[col] += rounding(Type::bf16, std::fabs(sum[col]) + error[col]);
    }
  }
  return {C};
}

Cost cost(const Shape& shape) {
  const double M = shape[0], N = shape[1], K = shape[2], gpus = shape[3];
  return {.bytes_read = 2 * gpus * (M * K + K * N),
          .bytes_written = 2 * M * N,
          .operations = 2 * gpus * M * N * K,
          .unit = ArithmeticUnit::tensor_bf16,
          .link_bytes = 2 * M * N * (gpus - 1) / gpus};
}

/// Flags, and two matrices like the whole sum.
std::size_t scratch_bytes(const Shape& shape) {
  return zeroed_scratch +
         4 * static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]);
}

REGISTER_PROBLEM({
    .name = "gemm_reduce_scatter",
    .summary = "the sum of A B over all GPUs, of which each gets some rows",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(on_each_device(input<Bfloat16>("A", dims<3, 0, 2>)),
                           on_each_device(input<Bfloat16>("B", dims<3, 2, 1>)),
                           on_each_device(output<Bfloat16>("C", results)),
                           scratch("scratch", scratch_bytes), integer("M", 1, 32768),
                           integer("N", 1, 32768), integer("K", 1, 32768), devices("gpus"),
                           streams("streams")),
    .limits = {"M is a multiple of gpus, and gpus is 1, 2, 4 or 8", with_equal_rows},
    .cases = {{{2, 1, 1, 2}},
              {{1, 5, 3, 1}},
              {{8, 24, 16, 8}},
              {{130, 67, 15, 2}},
              {{64, 72, 136, 4}},
              {{12, 9, 33, 4}, Values::outliers},
              {{264, 16, 64, 2}},
              {{16, 64, 32, 8}, Values::large_magnitude},  // a sum in bf16 loses small parts
              {{16, 24, 1032, 2}, Values::positive}},      // and bf16 products stop growing
    .large_cases = {{{2304, 8, 16, 2}}, {{520, 264, 72, 4}}, {{540, 131, 65, 4}}},
    .bench_shapes =
        {{8192, 4096, 7168, 2}, {8192, 4096, 3584, 4}, {8192, 4096, 8192, 2}, {512, 4096, 7168, 2}},
    .drawn_values = {Values::normal, Values::outliers, Values::large_magnitude},
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::gemm_reduce_scatter
