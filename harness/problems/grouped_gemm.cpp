// grouped_gemm: C[r] = A[r] B[g] for the rows offsets[g] <= r < offsets[g + 1] of each group, in
// bf16, summed in float, rounded once. A is [M, K], B is [groups, K, N], C is [M, N]. offsets has
// groups + 1 elements, ascends from 0 to M, and some groups are empty.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "problems/spec/lengths.h"
#include "problems/spec/problem.h"

namespace kata::problem::grouped_gemm {

struct Sizes {
  explicit Sizes(const Shape& s) : groups(s[0]), M(s[1]), K(s[2]), N(s[3]) {}
  std::size_t groups, M, K, N;
};

Dims bounds(const Shape& shape) {
  return {std::int64_t{shape[0]} + 1};
}

// N(0, 1) or small whole numbers. Only the first million is drawn, and then repeated: B is large.
// The period is a prime, so that groups differ.
void draw_factor(Array& x, const Case& one_case, const Random& random) {
  constexpr std::size_t period = 1048573;
  const std::span<Bfloat16> all = x.as<Bfloat16>();
  const bool is_whole = one_case.values == Values::whole_numbers;
  for (std::size_t i = 0; i < std::min(period, all.size()); ++i) {
    x.set(i, is_whole ? static_cast<double>(random.below(i, 5)) - 2 : random.normal(i));
  }
  for (std::size_t i = period; i < all.size(); ++i) all[i] = all[i - period];
}

// Rows per group, with lengths in proportion to the cube of random numbers, so that some are empty
// and a few long; with `bare` empty groups at both ends.
Lengths any_lengths(const Sizes& s, std::size_t bare, const Random& random) {
  std::vector<double> upto(s.groups);
  double sum = 0;
  for (std::size_t g = 0; g < s.groups; ++g) {
    const bool is_bare = s.groups > 2 * bare && (g < bare || g + bare >= s.groups);
    upto[g] = sum += is_bare ? 0 : 1e-6 + std::pow(random.uniform(g), 3);
  }
  Lengths lengths(s.groups);
  std::int64_t begin = 0;
  for (std::size_t g = 0; g < s.groups; ++g) {
    const auto end = static_cast<std::int64_t>(upto[g] / sum * static_cast<double>(s.M));
    lengths[g] = end - begin;
    begin = end;
  }
  return lengths;
}

// Boundaries one before, at or one after multiples of 16.
Lengths at_tile_borders(const Sizes& s, const Random& random) {
  Lengths ends(s.groups, static_cast<std::int64_t>(s.M));
  for (std::size_t g = 0; g + 1 < s.groups; ++g) {
    const auto tile = static_cast<std::int64_t>(random.below(2 * g, s.M / 16 + 1));
    const auto shift = static_cast<std::int64_t>(random.below(2 * g + 1, 3)) - 1;
    ends[g] = std::clamp<std::int64_t>(16 * tile + shift, 0, ends.back());
  }
  std::ranges::sort(ends);
  std::adjacent_difference(ends.begin(), ends.end(), ends.begin());
  return ends;
}

// Which rows belong to which group:
//   few_distinct   boundaries next to multiples of 16
//   largest_last   all in the last group
//   constant       all in the first one
//   outliers       two empty groups at both ends
//   skewed         a power law
Lengths draw_lengths(const Sizes& s, Values values, const Random& random) {
  Lengths lengths(s.groups);
  switch (values) {
    case Values::few_distinct:
      return at_tile_borders(s, random);
    case Values::largest_last:
      lengths.back() = static_cast<std::int64_t>(s.M);
      return lengths;
    case Values::constant:
      lengths.front() = static_cast<std::int64_t>(s.M);
      return lengths;
    case Values::skewed: {
      const auto rows = static_cast<std::int64_t>(s.M);
      return power_law(s.groups, rows, rows, random);
    }
    default:
      return any_lengths(s, values == Values::outliers ? 2 : 0, random);
  }
}

// B of an empty group holds NaN: a kernel that reads it past the end of its own group's K, and
// multiplies it by 0, gets NaN. With outliers, the rows of every second group are 2^10 times as
// large: results of one group that are stored in the rows of another one show.
void arrange(Inputs& inputs, const Case& one_case, const Random& random) {
  const Sizes s(one_case.shape);
  const std::span<Bfloat16> A = inputs[0].as<Bfloat16>(), B = inputs[1].as<Bfloat16>();
  const std::span<int> offsets = inputs[2].as<int>();
  const Lengths lengths = draw_lengths(s, one_case.values, random);
  const Bfloat16 nan(std::numeric_limits<double>::quiet_NaN());
  offsets[0] = 0;
  for (std::size_t g = 0; g < s.groups; ++g) {
    offsets[g + 1] = offsets[g] + static_cast<int>(lengths[g]);
    if (lengths[g] == 0) std::ranges::fill(B.subspan(g * s.K * s.N, s.K * s.N), nan);
    if (one_case.values != Values::outliers || g % 2 == 0) continue;
    const std::size_t rows = static_cast<std::size_t>(lengths[g]);
    for (Bfloat16& a : A.subspan(static_cast<std::size_t>(offsets[g]) * s.K, rows * s.K))
      a = Bfloat16(1024.0 * static_cast<double>(a));
  }
}

// As in gemm_bias_gelu: tensor cores truncate their float sums once for 16 products, and the result
// is rounded to bf16 once. Small whole numbers are summed without an error.
double tolerance(double y, double sum_of_sizes, double K) {
  const double in_float = std::ldexp((K / 8 + 8) * sum_of_sizes, -23);
  return in_float + rounding(Type::bf16, std::fabs(y) + in_float);
}

/// What varies between the operator and what is taken for it.
struct Formula {
  bool is_first = false;       ///< every row is multiplied by the first group's B
  bool is_transposed = false;  ///< B is [groups, N, K]
  bool is_next = false;        ///< the rows of a group are multiplied by the next group's B
  bool is_late = false;        ///< offsets[g + 1] is the last row of group g, not one after it
};

Outputs product(const Inputs& inputs, const Case& one_case, const Formula& formula) {
  const Sizes s(one_case.shape);
  const std::span<const Bfloat16> a = inputs[0].as<Bfloat16>(), b = inputs[1].as<Bfloat16>();
  const std::span<const int> offsets = inputs[2].as<int>();
  Expected C{.value = std::vector<double>(s.M * s.N), .tolerance = std::vector<double>(s.M * s.N)};
  std::vector<double> sum(s.N), sizes(s.N);
  std::size_t g = 0;
  for (std::size_t row = 0; row < s.M; ++row) {
    const auto first = static_cast<int>(row) - (formula.is_late ? 1 : 0);
    while (offsets[g + 1] <= first) ++g;
    const std::size_t used = formula.is_first ? 0 : formula.is_next ? (g + 1) % s.groups : g;
    const std::span<const Bfloat16> B = b.subspan(used * s.K * s.N, s.K * s.N);
    std::ranges::fill(sum, 0);
    std::ranges::fill(sizes, 0);
    for (std::size_t k = 0; k < s.K; ++k) {
      const double factor = static_cast<double>(a[row * s.K + k]);
      for (std::size_t col = 0; col < s.N; ++col) {
        const std::size_t at = formula.is_transposed ? col * s.K + k : k * s.N + col;
        const double term = factor * static_cast<double>(B[at]);
        sum[col] += term;
        sizes[col] += std::fabs(term);
      }
    }
    for (std::size_t col = 0; col < s.N; ++col) {
      C.value[row * s.N + col] = sum[col];
      C.tolerance[row * s.N + col] = tolerance(sum[col], sizes[col], static_cast<double>(s.K));
    }
  }
  return {C};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return product(inputs, one_case, {});
}

auto instead(const Formula& formula) {
  return [formula](const Inputs& inputs, const Case& one_case) {
    return product(inputs, one_case, formula);
  };
}

const std::vector<Mistake> mistakes{
    {"if every row were multiplied by the B of the first group", instead({.is_first = true})},
    {"if B were [groups, N, K]", instead({.is_transposed = true})},
    {"if rows were multiplied by the B of the next group", instead({.is_next = true})},
    {"if row offsets[g + 1] still belonged to group g", instead({.is_late = true})},
};

// A group without rows needs no B.
Cost cost(const Shape& shape) {
  const double groups = std::min(shape[0], shape[1]), M = shape[1], K = shape[2], N = shape[3];
  return {.bytes_read = 2 * (M * K + groups * K * N) + 4.0 * (shape[0] + 1),
          .bytes_written = 2 * M * N,
          .operations = 2 * M * K * N,
          .unit = ArithmeticUnit::tensor_bf16};
}

Shape nearest(Shape shape) {
  for (int& size : shape) size = std::max(size, 1);
  shape[0] = std::min(shape[0], 1024);
  return shape;
}

REGISTER_PROBLEM({
    .name = "grouped_gemm",
    .summary = "each group of A's rows times its own B, in bf16: the experts of a mixture",
    .frequency = "medium",
    .difficulty = "hard",
    .selects = true,
    .signature = signature(input<Bfloat16>("A", dims<1, 2>, draw_factor),
                           input<Bfloat16>("B", dims<0, 2, 3>, draw_factor),
                           input<int>("offsets", bounds), output<Bfloat16>("C", dims<1, 3>),
                           integer("groups", 1, 1024), integer("M", 1, 1 << 18),
                           integer("K", 1, 16384), integer("N", 1, 16384)),
    .limits = {"groups <= 1024", nearest},
    .cases = {{{1, 1, 1, 1}},
              {{3, 70, 15, 7}, Values::few_distinct},
              {{257, 40, 8, 9}},
              {{7, 150, 72, 24}, Values::outliers},
              {{4, 65, 33, 40}, Values::whole_numbers},
              {{5, 129, 24, 8}, Values::largest_last},
              {{2, 64, 40, 72}, Values::constant},
              {{6, 200, 16, 136}, Values::skewed}},
    .large_cases = {{{64, 300, 128, 264}, Values::outliers},
                    {{8, 1025, 257, 130}, Values::few_distinct},
                    {{1024, 700, 64, 32}, Values::skewed}},
    .bench_shapes = {{64, 8192, 2048, 1536},
                     {8, 8192, 4096, 14336},
                     {64, 256, 7168, 2048},
                     {8, 4096, 2048, 4096}},
    .drawn_values = {Values::normal, Values::outliers, Values::few_distinct},
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::grouped_gemm
