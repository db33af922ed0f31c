// sgemv: y = A x; A is [M, K], row-major
#include "problems/spec/problem.h"
#include "problems/tolerance/dot_product.h"

namespace kata::problem::sgemv {

Outputs reference(const Inputs& inputs, const Case& one_case) {
  const std::span<const float> A = inputs[0].as<float>();
  const std::span<const float> x = inputs[1].as<float>();
  const std::size_t K = one_case.shape[1];
  const bool equal = all_equal(A) && all_equal(x);
  const bool whole = all_whole(A) && all_whole(x);
  Expected y;
  for (std::size_t row = 0; row < A.size(); row += K) {
    Terms terms{.roundings = one_case.shape[1], .equal = equal, .whole = whole};
    for (std::size_t k = 0; k < K; ++k) {
      const double term = static_cast<double>(A[row + k]) * x[k];
      terms.sum += term;
      terms.sum_of_sizes += std::abs(term);
      terms.sum_of_squares += term * term;
    }
    y.value.push_back(terms.sum);
    y.tolerance.push_back(dot_tolerance(terms));
  }
  return {y};
}

Cost cost(const Shape& shape) {
  const double M = shape[0];
  const double K = shape[1];
  return {.bytes_read = 4 * (M * K + K), .bytes_written = 4 * M, .operations = 2 * M * K};
}

REGISTER_PROBLEM({
    .name = "sgemv",
    .summary = "y = A x, a matrix times a vector",
    .frequency = "low",
    .difficulty = "medium",
    .signature = signature(input<float>("A", dims<0, 1>), input<float>("x", dims<1>),
                           output<float>("y", dims<0>), integer("M", 1, 1 << 20),
                           integer("K", 1, 1 << 20)),
    .cases = {{{3, 1}},
              {{256, 4}, Values::outliers},  // whole blocks of rows, one float4 each
              {{1025, 3}},
              {{130, 1028}},
              {{301, 437}},
              {{1, 100003}, Values::whole_numbers}},
    .large_cases = {{{2049, 2047}},
                    {{1027, 4096}},
                    {{3, 1 << 20}, Values::whole_numbers},
                    {{(1 << 18) + 1, 17}}},
    .bench_shapes = {{4096, 4096},
                     {16384, 16384},
                     {1024, 65536},
                     {65536, 1024},
                     {4095, 4095},
                     {16, 1 << 20},
                     {256, 1 << 18},
                     {1 << 20, 16}},
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::sgemv
