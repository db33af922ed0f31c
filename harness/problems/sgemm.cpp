// sgemm: C = A B; A is [M, K], B is [K, N], C is [M, N], all row-major
#include "problems/spec/problem.h"
#include "problems/tolerance/dot_product.h"

namespace kata::problem::sgemm {

Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> A = inputs[0].as<float>();
  const std::span<const float> B = inputs[1].as<float>();
  const std::size_t M = one_case.shape[0];
  const std::size_t N = one_case.shape[1];
  const std::size_t K = one_case.shape[2];
  const Terms none{.roundings = one_case.shape[2], .equal = all_equal(A) && all_equal(B)};
  Expected C;
  C.value.reserve(M * N);
  C.tolerance.reserve(M * N);
  for (std::size_t row = 0; row < M; ++row) {
    // A row of C at a time: B is then read along its rows.
    std::vector<Terms> terms(N, none);
    for (std::size_t k = 0; k < K; ++k) {
      const double a = A[row * K + k];
      for (std::size_t col = 0; col < N; ++col) {
        const double term = a * B[k * N + col];
        terms[col].sum += term;
        terms[col].sum_of_sizes += std::abs(term);
        terms[col].sum_of_squares += term * term;
      }
    }
    for (const Terms& one : terms) {
      C.value.push_back(one.sum);
      C.tolerance.push_back(dot_tolerance(one));
    }
  }
  return {C};
}

Cost cost(const Shape& shape) {
  const double M = shape[0];
  const double N = shape[1];
  const double K = shape[2];
  return {
      .bytes_read = 4 * (M * K + K * N), .bytes_written = 4 * M * N, .operations = 2 * M * N * K};
}

REGISTER_PROBLEM({
    .name = "sgemm",
    .summary = "C = A B, a matrix times a matrix",
    .frequency = "high",
    .difficulty = "hard",
    .signature = signature(input<float>("A", dims<0, 2>), input<float>("B", dims<2, 1>),
                           output<float>("C", dims<0, 1>), integer("M", 1, 16384),
                           integer("N", 1, 16384), integer("K", 1, 16384)),
    .cases = {{{1, 1, 1}},
              {{255, 1, 256}, Values::outliers},
              {{5, 7, 515}},
              {{4, 260, 36}},  // whole float4s, but no whole tiles
              {{129, 65, 34}, Values::all_negative},
              {{128, 128, 128}}},
    .large_cases = {{{513, 511, 509}},
                    {{512, 512, 512}},
                    {{1030, 130, 260}},
                    {{65, 1023, 516}},
                    {{1537, 1409, 70}},
                    {{1668, 1924, 40}}},
    .bench_shapes = {{2048, 2048, 2048},
                     {512, 512, 512},
                     {1022, 1022, 1022},
                     {1024, 1024, 1024},
                     {3135, 3135, 3135},
                     {4088, 4088, 4088},
                     {4096, 4096, 4096},
                     {8176, 8176, 8176},
                     {8192, 8192, 8192},
                     {300, 5000, 700},
                     {4097, 4095, 4099}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::sgemm
