// all_gather_gemm: C[g] = A B[g] on each of several devices, where each has some of the rows of A;
// in bf16, summed in float, rounded once.
#include <algorithm>
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::all_gather_gemm {

Dims shards(const Shape& shape) {
  return {shape[3], shape[0] / shape[3], shape[2]};
}

// The sum is off by e = 2^-23 of the sum of sizes per 8 products, as in hgemm, and is rounded to
// bf16 once.
double tolerance(double sum, double sum_of_sizes, double K) {
  const double in_float = (K / 8 + 8) * std::ldexp(1.0, -23) * sum_of_sizes;
  return in_float + rounding(Type::bf16, std::fabs(sum) + in_float);
}

// The rows of all shards, one below the other, are A.
Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const Bfloat16> a = inputs[0].as<Bfloat16>(), b = inputs[1].as<Bfloat16>();
  const std::vector<float> A(a.begin(), a.end()), B(b.begin(), b.end());
  const std::size_t M = one_case.shape[0], N = one_case.shape[1], K = one_case.shape[2],
                    gpus = one_case.shape[3];
  Expected C{.value = std::vector<double>(gpus * M * N),
             .tolerance = std::vector<double>(gpus * M * N)};
  std::vector<double> sum(N), sizes(N);
  for (std::size_t g = 0; g < gpus; ++g) {
    for (std::size_t row = 0; row < M; ++row) {
      std::ranges::fill(sum, 0);
      std::ranges::fill(sizes, 0);
      for (std::size_t k = 0; k < K; ++k) {
        for (std::size_t col = 0; col < N; ++col) {
          const double term = double{A[row * K + k]} * B[(g * K + k) * N + col];
          sum[col] += term;
          sizes[col] += std::fabs(term);
        }
      }
      for (std::size_t col = 0; col < N; ++col) {
        const std::size_t i = (g * M + row) * N + col;
        C.value[i] = sum[col];
        C.tolerance[i] = tolerance(sum[col], sizes[col], static_cast<double>(K));
      }
    }
  }
  return {C};
}

Cost cost(const Shape& shape) {
  const double M = shape[0], N = shape[1], K = shape[2], gpus = shape[3];
  return {.bytes_read = 2 * (M * K + gpus * K * N),
          .bytes_written = 2 * gpus * M * N,
          .operations = 2 * gpus * M * N * K,
          .unit = ArithmeticUnit::tensor_bf16,
          .link_bytes = 2 * M * K * (gpus - 1) / gpus};
}

/// Flags, and A.
std::size_t scratch_bytes(const Shape& shape) {
  return zeroed_scratch +
         2 * static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[2]);
}

REGISTER_PROBLEM({
    .name = "all_gather_gemm",
    .summary = "C = A B on every GPU, where each GPU has some rows of A",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(on_each_device(input<Bfloat16>("A", shards)),
                           on_each_device(input<Bfloat16>("B", dims<3, 2, 1>)),
                           on_each_device(output<Bfloat16>("C", dims<3, 0, 1>)),
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
              {{16, 24, 1032, 2}, Values::positive}},  // bf16 sums stop growing
    .large_cases = {{{2304, 8, 16, 2}}, {{520, 264, 72, 4}}, {{540, 131, 65, 4}}},
    .bench_shapes =
        {{8192, 7168, 4096, 2}, {8192, 3584, 4096, 4}, {8192, 8192, 4096, 2}, {512, 7168, 4096, 2}},
    .drawn_values = {Values::normal, Values::outliers, Values::positive},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::all_gather_gemm
