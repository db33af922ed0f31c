// fp8_gemm: C = A B^T in FP8 with scales by blocks of 128 along K, rounded once to bf16:
//   C[m, n] = sum over q of scale_a[q, m] scale_b[n / 128, q] S[m, n, q]
//   S[m, n, q] = sum over k = 128 q .. 128 q + 127 of A[m, k] B[n, k]
// A is [M, K], B is [N, K], scale_a is [K/128, M], scale_b is [ceil(N/128), K/128], C is [M, N],
// all row-major; K is a multiple of 128.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "problems/spec/problem.h"

namespace kata::problem::fp8_gemm {

constexpr std::size_t block = 128;  // of K, and of N where B is scaled

struct Sizes {
  explicit Sizes(const Shape& s) : M(s[0]), N(s[1]), K(s[2]), blocks(K / block) {}
  std::size_t M, N, K, blocks;
};

Dims dims_of_scale_a(const Shape& shape) {
  return {shape[2] / 128, shape[0]};
}
Dims dims_of_scale_b(const Shape& shape) {
  return {(shape[1] + 127) / 128, shape[2] / 128};
}

/// Every code but the two of NaN, equally often.
E4m3 any_code(const Random& random, std::size_t i) {
  E4m3 x;
  const std::uint64_t number = random.below(i, 254);
  x.bits = static_cast<std::uint8_t>(number < 0x7f ? number : number + 1);
  return x;
}

/// The whole numbers of block 0 again in each block; of A with alternating signs, so that sums of
/// blocks cancel and the rest comes from the scales.
double that_cancels(std::size_t i, std::size_t K, bool is_a, const Random& random) {
  const std::size_t row = i / K, k = i % K;
  const double x = static_cast<double>(random.below(row * block + k % block, 7)) - 3;
  return is_a && k / block % 2 == 1 ? -x : x;
}

/// Only the first million is drawn, and then repeated. The period is a prime, so that rows differ.
///   uniform     all codes, also those of subnormal numbers and -0
///   subnormal   the codes below 2^-6, and both zeros
///   large_mean  the blocks' sums cancel
///   outliers    N(0, 1): it is the scales that are far apart
void draw_factor(Array& x, const Case& one_case, const Random& random, bool is_a) {
  constexpr std::size_t period = 1048573;
  const std::span<E4m3> all = x.as<E4m3>();
  const std::size_t K = static_cast<std::size_t>(one_case.shape[2]);
  Array first(Type::e4m3, std::min(period, all.size()));
  Case like = one_case;
  if (like.values == Values::outliers) like.values = Values::normal;
  draw::as_the_case_says()(first, like, random);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double sign = random.stream(1).below(i, 2) == 0 ? 1 : -1;
    if (one_case.values == Values::uniform) first.as<E4m3>()[i] = any_code(random, i);
    if (one_case.values == Values::subnormal)
      first.set(i, sign * std::ldexp(static_cast<double>(random.below(i, 8)), -9));
    if (one_case.values == Values::large_mean) first.set(i, that_cancels(i, K, is_a, random));
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = i < period ? first.as<E4m3>()[i] : all[i - period];
}
void draw_a(Array& x, const Case& one_case, const Random& random) {
  draw_factor(x, one_case, random, true);
}
void draw_b(Array& x, const Case& one_case, const Random& random) {
  draw_factor(x, one_case, random, false);
}

/// 1/2 to 2, all different, but
///   whole_numbers  1/4, 1/2, 1, 2 or 4
///   outliers       2^-10 to 2^11
///   large_mean     of A 1 to 1.008: numbers of 15 bits; of B 1
void draw_scale(Array& x, const Case& one_case, const Random& random, bool is_a) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double fraction = random.uniform(i);
    const auto any = [&](std::uint64_t count) {
      return static_cast<int>(random.stream(1).below(i, count));
    };
    switch (one_case.values) {
      case Values::whole_numbers:
        x.set(i, std::ldexp(1.0, any(5) - 2));
        break;
      case Values::outliers:
        x.set(i, std::ldexp(1 + fraction, any(21) - 10));
        break;
      case Values::large_mean:
        x.set(i, is_a ? 1 + std::ldexp(any(128), -14) : 1);
        break;
      default:
        x.set(i, std::exp2(2 * fraction - 1));
    }
  }
}
void draw_scale_a(Array& x, const Case& one_case, const Random& random) {
  draw_scale(x, one_case, random, true);
}
void draw_scale_b(Array& x, const Case& one_case, const Random& random) {
  draw_scale(x, one_case, random, false);
}

/// What varies between the operator and what is taken for it.
struct Formula {
  bool B_is_transposed = true;
  bool a_by_rows = false;    ///< scale_a is [M, K/128]
  bool b_by_blocks = false;  ///< scale_b is [K/128, ceil(N/128)]
  bool is_first = false;     ///< the scales of block 0 are those of all blocks
  bool is_scaled = true;     ///< or all scales are 1
  bool is_cleared = true;    ///< or a block's sum goes on from the sum of the block before
  bool is_e5m2 = false;      ///< the bytes have 5 bits of exponent
};

/// A factor's numbers, and which power of two each is an odd multiple of.
struct Factor {
  std::vector<double> value;
  std::vector<std::int8_t> last_place;  ///< of 0: so high that it is never cut

  Factor(std::span<const E4m3> codes, bool is_e5m2)
      : value(codes.size()), last_place(codes.size(), 100) {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      Half wide;  // an e5m2 is its upper byte
      wide.bits = static_cast<std::uint16_t>(codes[i].bits << 8);
      value[i] = is_e5m2 ? static_cast<double>(wide) : static_cast<double>(codes[i]);
      if (!std::isfinite(value[i])) continue;
      int exponent = 0;
      const auto whole = static_cast<std::int64_t>(std::ldexp(std::frexp(value[i], &exponent), 4));
      if (whole != 0) {
        last_place[i] = static_cast<std::int8_t>(
            exponent - 4 + std::countr_zero(static_cast<std::uint64_t>(std::abs(whole))));
      }
    }
  }
};

/// The sum of a block's products, and how far a tensor core may be off.
struct BlockSum {
  double sum = 0, sizes = 0, cut = 0;
};

/// A Hopper's tensor core keeps 13 bits of the fraction of the largest number that it adds, a
/// product or the sum so far, and cuts the rest of all others, and of the new sum. No partial sum
/// is larger than the block's positive products together, or the negative ones. So 2^-13 of that is
/// the most that is cut from a product, in each of four instructions from the sum so far, and from
/// its successor; nothing is, where all products are multiples of that unit.
BlockSum sum_of(const double* a, const double* b, std::size_t b_step, const std::int8_t* a_place,
                const std::int8_t* b_place) {
  double positive = 0, negative = 0;
  for (std::size_t k = 0; k < block; ++k) {
    const double product = a[k] * b[k * b_step];
    (product > 0 ? positive : negative) += product;
  }
  BlockSum result{positive + negative, positive - negative};
  const double largest = std::max(positive, -negative);
  if (!(largest > 0) || std::isinf(largest)) return result;
  const int unit = std::ilogb(largest) - 13;
  int count = 0;
  for (std::size_t k = 0; k < block; ++k) count += a_place[k] + b_place[k * b_step] < unit;
  if (count > 0) result.cut = std::ldexp(count + 8, unit);
  return result;
}

Outputs product(const Inputs& inputs, const Case& one_case, const Formula& formula) {
  const Sizes s(one_case.shape);
  const Factor A(inputs[0].as<E4m3>(), formula.is_e5m2), B(inputs[1].as<E4m3>(), formula.is_e5m2);
  const std::span<const float> scale_a = inputs[2].as<float>(), scale_b = inputs[3].as<float>();
  const std::size_t b_rows = (s.N + block - 1) / block;
  const std::size_t b_step = formula.B_is_transposed ? 1 : s.N;
  const auto scale = [&](std::size_t row, std::size_t col, std::size_t q) -> double {
    if (!formula.is_scaled) return 1;
    if (formula.is_first) q = 0;
    const std::size_t of_a = formula.a_by_rows ? row * s.blocks + q : q * s.M + row;
    const std::size_t of_b =
        formula.b_by_blocks ? q * b_rows + col / block : col / block * s.blocks + q;
    return static_cast<double>(scale_a[of_a]) * static_cast<double>(scale_b[of_b]);
  };
  Expected C;
  for (std::size_t row = 0; row < s.M; ++row) {
    for (std::size_t col = 0; col < s.N; ++col) {
      double sum = 0, sizes = 0, cut = 0, before = 0;
      for (std::size_t q = 0; q < s.blocks; ++q) {
        const std::size_t at_a = row * s.K + q * block;
        const std::size_t at_b =
            formula.B_is_transposed ? col * s.K + q * block : q * block * s.N + col;
        const BlockSum one = sum_of(&A.value[at_a], &B.value[at_b], b_step, &A.last_place[at_a],
                                    &B.last_place[at_b]);
        const double factor = scale(row, col, q);
        before = formula.is_cleared ? one.sum : before + one.sum;
        sum += factor * before;
        sizes += factor * one.sizes;
        cut += factor * one.cut;
      }
      // Float sums: 16 roundings at most in a block (8 instructions on halves, each of which cuts
      // once), one for each block; the result is rounded to bf16 once.
      const double in_float = cut + std::ldexp(static_cast<double>(16 + s.blocks) * sizes, -23);
      C.value.push_back(sum);
      C.tolerance.push_back(in_float + rounding(Type::bf16, std::fabs(sum) + in_float));
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
    {"if B were [K, N], not [N, K]", instead({.B_is_transposed = false})},
    {"if scale_a were [M, K/128]", instead({.a_by_rows = true})},
    {"if scale_b were [K/128, ceil(N/128)]", instead({.b_by_blocks = true})},
    {"if the scales of the first block of K held for all", instead({.is_first = true})},
    {"if all scales were 1", instead({.is_scaled = false})},
    {"if a block's sum were not cleared before the next block", instead({.is_cleared = false})},
    {"if the bytes were e5m2", instead({.is_e5m2 = true})},
};

Cost cost(const Shape& shape) {
  const double M = shape[0], N = shape[1], K = shape[2], blocks = K / 128;
  return {.bytes_read = M * K + N * K + 4 * blocks * (M + std::ceil(N / 128)),
          .bytes_written = 2 * M * N,
          .operations = 2 * M * N * K,
          .unit = ArithmeticUnit::tensor_f8};
}

Shape nearest(Shape shape) {
  return {std::max(shape[0], 1), std::max(shape[1], 1), std::max((shape[2] + 64) / 128, 1) * 128};
}

REGISTER_PROBLEM({
    .name = "fp8_gemm",
    .summary = "C = A B in FP8, with a scale for each block of 128 along K",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(input<E4m3>("A", dims<0, 2>, draw_a),
                           input<E4m3>("B", dims<1, 2>, draw_b),
                           input<float>("scale_a", dims_of_scale_a, draw_scale_a),
                           input<float>("scale_b", dims_of_scale_b, draw_scale_b),
                           output<Bfloat16>("C", dims<0, 1>), integer("M", 1, 16384),
                           integer("N", 1, 32768), integer("K", 128, 16384)),
    .limits = {"K is a multiple of 128", nearest},
    .cases = {{{1, 1, 128}},
              {{65, 130, 256}},
              {{3, 192, 384}, Values::outliers},
              {{33, 20, 384}, Values::whole_numbers},
              {{4, 24, 4096}, Values::positive},
              {{5, 129, 128}, Values::subnormal},
              {{4, 7, 256}, Values::lowest},
              {{9, 12, 512}, Values::large_mean},
              {{20, 33, 256}, Values::uniform}},
    .large_cases = {{{129, 257, 1024}},
                    {{300, 513, 640}, Values::outliers},
                    {{64, 128, 16384}, Values::positive},
                    {{1025, 64, 384}, Values::whole_numbers}},
    .bench_shapes = {{4096, 4096, 7168}, {128, 7168, 16384}, {4096, 7168, 2048}, {64, 7168, 2048}},
    .drawn_values = {Values::normal, Values::outliers, Values::positive},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::fp8_gemm
