// igemm: C = A B of 8-bit integers, exact in int; A is [M, K], B is [N, K] (transposed), C is
// [M, N], all row-major.
#include <algorithm>

#include "problems/spec/problem.h"

namespace kata::problem::igemm {

// The lowest: -128 times -128 is 16384, of which an int16 holds one and a float any sum. Positive:
// 125 to 127, whose sums are odd numbers above 2^24 from K = 1041 on: float rounds them.
void draw_bytes(Array& x, const Case& one_case, const Random& random) {
  switch (one_case.values) {
    case Values::lowest:
      return draw::between(-128, -128)(x, one_case, random);
    case Values::positive:
      return draw::between(125, 127)(x, one_case, random);
    default:
      return draw::between(-128, 127)(x, one_case, random);
  }
}

template <class A_byte, class B_byte>
Outputs product(const Inputs& inputs, const Case& one_case, bool B_is_transposed = true) {
  const std::span<const signed char> A = inputs[0].as<signed char>();
  const std::span<const signed char> B = inputs[1].as<signed char>();
  const std::size_t M = one_case.shape[0], N = one_case.shape[1], K = one_case.shape[2];
  Expected C;
  C.value.reserve(M * N);
  for (std::size_t row = 0; row < M; ++row) {
    for (std::size_t col = 0; col < N; ++col) {
      int sum = 0;
      for (std::size_t k = 0; k < K; ++k) {
        const std::size_t of_B = B_is_transposed ? col * K + k : k * N + col;
        sum += static_cast<A_byte>(A[row * K + k]) * static_cast<B_byte>(B[of_B]);
      }
      C.value.push_back(sum);
    }
  }
  return {C};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return product<signed char, signed char>(inputs, one_case);
}

const std::vector<Mistake> mistakes{
    {"if B were [K, N], not [N, K]",
     [](const Inputs& inputs, const Case& one_case) {
       return product<signed char, signed char>(inputs, one_case, false);
     }},
    {"if the bytes of A and B were unsigned",
     [](const Inputs& inputs, const Case& one_case) {
       return product<unsigned char, unsigned char>(inputs, one_case);
     }},
    {"if the bytes of A were unsigned",
     [](const Inputs& inputs, const Case& one_case) {
       return product<unsigned char, signed char>(inputs, one_case);
     }},
    {"if the bytes of B were unsigned",
     [](const Inputs& inputs, const Case& one_case) {
       return product<signed char, unsigned char>(inputs, one_case);
     }},
};

Cost cost(const Shape& shape) {
  const double M = shape[0], N = shape[1], K = shape[2];
  return {.bytes_read = M * K + N * K,
          .bytes_written = 4 * M * N,
          .operations = 2 * M * N * K,
          .unit = ArithmeticUnit::tensor_i8};
}

REGISTER_PROBLEM({
    .name = "igemm",
    .summary = "C = A B of 8-bit integers",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(input<signed char>("A", dims<0, 2>, draw_bytes),
                           input<signed char>("B", dims<1, 2>, draw_bytes),
                           output<int>("C", dims<0, 1>), integer("M", 1, 16384),
                           integer("N", 1, 16384), integer("K", 1, 65536)),
    .limits =
        {"K is at most 65536, so that no sum overflows an int",
         [](Shape shape) -> Shape {
           return {std::max(shape[0], 1), std::max(shape[1], 1), std::clamp(shape[2], 1, 65536)};
         }},
    .cases = {{{1, 1, 1}},
              {{129, 67, 3}},
              {{20, 33, 33}},  // B is square
              {{65, 130, 64}},
              {{34, 8, 31}},
              {{16, 16, 1024}, Values::lowest},
              {{33, 34, 2100}, Values::mostly_lowest},  // odd above 2^24 from about 1028 on
              {{3, 16, 2049}, Values::positive}},
    .large_cases = {{{513, 511, 509}},
                    {{512, 512, 512}, Values::lowest},
                    {{1, 1, 65536}, Values::lowest},
                    {{8192, 9, 1000}},
                    {{9, 8192, 1000}},
                    {{64, 64, 65521}, Values::positive}},
    .bench_shapes = {{4096, 4096, 4096}, {2048, 2048, 2048}, {8192, 8192, 8192}},
    .drawn_values = {Values::uniform, Values::lowest, Values::positive},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::igemm
