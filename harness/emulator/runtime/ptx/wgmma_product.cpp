#include "emulator/runtime/ptx/wgmma_product.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "emulator/runtime/kernel/narrow_floats.h"

namespace kata::emulator::ptx {
namespace {

using Eight = double __attribute__((vector_size(64)));
constexpr unsigned tile_rows = 4, tile_columns = 8;

/// Sums of a tile: rows from `a` on, `k` apart, times 8 columns.
inline __attribute__((always_inline)) void multiply_tile(const double* a, const double* b,
                                                         unsigned k, double* sums) {
  Eight sum[tile_rows] = {};
  for (unsigned i = 0; i < k; ++i) {
    Eight row;
    std::memcpy(&row, b + i * tile_columns, sizeof row);
    for (unsigned r = 0; r < tile_rows; ++r) sum[r] += a[r * k + i] * row;
  }
  std::memcpy(sums, sum, sizeof sum);
}

using TileFunction = void (*)(const double*, const double*, unsigned, double*);

void plain_tile(const double* a, const double* b, unsigned k, double* sums) {
  multiply_tile(a, b, k, sums);
}

#if defined(__x86_64__)
// The products are exact in double: a fused operation gives the same sums.
__attribute__((target("avx2,fma"))) void wide_tile(const double* a, const double* b, unsigned k,
                                                   double* sums) {
  multiply_tile(a, b, k, sums);
}

TileFunction best_tile() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? wide_tile : plain_tile;
}
#else
TileFunction best_tile() {
  return plain_tile;
}
#endif

std::uint32_t rounded(double value, MatrixElement type) {
  const auto as_float = static_cast<float>(value);
  if (std::isnan(as_float)) return 0x7fffffff;  // as a half: 0x7fff
  if (type == MatrixElement::f32) return std::bit_cast<std::uint32_t>(as_float);
  return std::bit_cast<std::uint32_t>(float_from_half(half_from_float(as_float)));
}

std::uint32_t whole(double sum, std::uint32_t d, bool saturates) {
  const std::int64_t result = static_cast<std::int64_t>(sum) + static_cast<std::int32_t>(d);
  if (!saturates) return static_cast<std::uint32_t>(result);
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(result, INT32_MIN, INT32_MAX));
}

/// A row of the tile's D.
void finish(const MatrixIssue& issue, const double* sums, std::uint32_t* d) {
  const double sign = issue.negates ? -1 : 1;
  for (unsigned column = 0; column < tile_columns; ++column) {
    const double sum = sign * sums[column];
    if (issue.form.d == MatrixElement::s32) {
      d[column] = whole(sum, issue.adds ? d[column] : 0, issue.form.saturates);
    } else {
      // Of no sum is the result -0, as the sign is A's or B's.
      d[column] = rounded((issue.adds ? std::bit_cast<float>(d[column]) : 0.0) + sum, issue.form.d);
    }
  }
}

// ---- FP8: a Hopper keeps few bits of what it adds up

using Floats = float __attribute__((vector_size(32)));
using Ints = std::int32_t __attribute__((vector_size(32)));

/// A term is cut behind 13 bits of the fraction of the largest one's binade, and so is the sum. D
/// is a term. A product's binade is that of its factors' binades, although it may lie in the next
/// one. (tests/gpu/hopper/fp8_sums.cu)
constexpr int kept_bits = 13;
constexpr std::int32_t cut_from_float = (1 << (23 - kept_bits)) - 1;
constexpr std::int32_t exponent_of_float = 0x7f800000;

/// A row of D in 8 columns += the products of a row of A and 8 columns of B, of depth 32.
inline __attribute__((always_inline)) void add_short_products(const float* a, const float* b,
                                                              float* d) {
  constexpr unsigned depth = 32;
  Floats terms[depth + 1];
  std::memcpy(&terms[depth], d, sizeof(Floats));
  Ints largest = (Ints)terms[depth] & exponent_of_float;
  for (unsigned k = 0; k < depth; ++k) {
    Floats row;
    std::memcpy(&row, b + k * tile_columns, sizeof row);
    terms[k] = a[k] * row;
    const float of_a = std::bit_cast<float>(std::bit_cast<std::int32_t>(a[k]) & exponent_of_float);
    const Ints binade = (Ints)(of_a * (Floats)((Ints)row & exponent_of_float));
    largest = binade > largest ? binade : largest;
  }
  Ints exponent = largest >> 23;
  exponent = exponent > kept_bits ? exponent : kept_bits + 1;
  const auto units_in_1 = (Floats)((2 * 127 + kept_bits - exponent) << 23);
  const auto unit = (Floats)((exponent - kept_bits) << 23);
  Ints sum = {};
  for (const Floats& term : terms) sum += __builtin_convertvector(term * units_in_1, Ints);
  const Floats result = __builtin_convertvector(sum, Floats) * unit;
  const Ints bits = (Ints)result & ~cut_from_float;
  std::memcpy(d, &bits, sizeof bits);
}

using ShortFunction = void (*)(const float*, const float*, float*);

void plain_short(const float* a, const float* b, float* d) {
  add_short_products(a, b, d);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void wide_short(const float* a, const float* b, float* d) {
  add_short_products(a, b, d);
}

ShortFunction best_short() {
  return __builtin_cpu_supports("avx2") ? wide_short : plain_short;
}
#else
ShortFunction best_short() {
  return plain_short;
}
#endif

bool is_fp8(MatrixElement type) {
  return type == MatrixElement::e4m3 || type == MatrixElement::e5m2;
}

/// Whether all are numbers. D has its bits.
bool is_finite(const MatrixIssue& issue, const double* a, const double* b, const MatrixValues& d) {
  const auto finite = [](double value) { return std::isfinite(value); };
  return std::all_of(a, a + std::size_t{wgmma_rows} * issue.form.k, finite) &&
         std::all_of(b, b + std::size_t{issue.form.n} * issue.form.k, finite) &&
         (!issue.adds || std::all_of(d.begin(), d.end(), [](std::uint32_t bits) {
           return std::isfinite(std::bit_cast<float>(bits));
         }));
}

/// The same as multiply_matrices(), of finite numbers.
void multiply_fp8(const MatrixIssue& issue, const double* a, const double* packed_b,
                  MatrixValues& d) {
  static const ShortFunction add = best_short();
  static thread_local std::vector<float> short_a, short_b;
  const unsigned n = issue.form.n, k = issue.form.k;
  const float sign = issue.negates ? -1 : 1;
  short_a.resize(std::size_t{wgmma_rows} * k);
  for (std::size_t i = 0; i < short_a.size(); ++i) short_a[i] = sign * static_cast<float>(a[i]);
  short_b.assign(packed_b, packed_b + std::size_t{n} * k);
  for (unsigned column = 0; column < n; column += tile_columns) {
    for (unsigned row = 0; row < wgmma_rows; ++row) {
      float sums[tile_columns] = {};
      std::uint32_t* const at = d.data() + row * n + column;
      if (issue.adds) std::memcpy(sums, at, sizeof sums);
      add(short_a.data() + row * k, short_b.data() + packed_at(k, 0, column), sums);
      for (unsigned i = 0; i < tile_columns; ++i) at[i] = rounded(sums[i], issue.form.d);
    }
  }
}

using ByteTable = std::array<double, 256>;
ByteTable byte_table(MatrixElement type) {
  ByteTable table;
  for (unsigned bits = 0; bits < 256; ++bits) {
    const auto byte = static_cast<std::uint8_t>(bits);
    table[bits] = type == MatrixElement::s8     ? static_cast<std::int8_t>(byte)
                  : type == MatrixElement::u8   ? byte
                  : type == MatrixElement::e4m3 ? float_from_e4m3(byte)
                                                : float_from_e5m2(byte);
  }
  return table;
}

const ByteTable& table_of(MatrixElement type) {
  static const ByteTable s8 = byte_table(MatrixElement::s8), u8 = byte_table(MatrixElement::u8),
                         e4m3 = byte_table(MatrixElement::e4m3),
                         e5m2 = byte_table(MatrixElement::e5m2);
  return type == MatrixElement::s8     ? s8
         : type == MatrixElement::u8   ? u8
         : type == MatrixElement::e4m3 ? e4m3
                                       : e5m2;
}

template <class Word, class Convert>
void decode_words(const void* from, double* to, const Convert& convert) {
  Word words[16 / sizeof(Word)];
  std::memcpy(words, from, sizeof words);
  for (unsigned i = 0; i < 16 / sizeof(Word); ++i) to[i] = convert(words[i]);
}

}  // namespace

void multiply_matrices(const MatrixIssue& issue, const double* a, const double* packed_b,
                       MatrixValues& d) {
  if (is_fp8(issue.form.a) && is_finite(issue, a, packed_b, d))
    return multiply_fp8(issue, a, packed_b, d);
  static const TileFunction tile = best_tile();
  const unsigned n = issue.form.n, k = issue.form.k;
  double sums[tile_rows * tile_columns];
  for (unsigned column = 0; column < n; column += tile_columns) {
    for (unsigned row = 0; row < wgmma_rows; row += tile_rows) {
      tile(a + row * k, packed_b + packed_at(k, 0, column), k, sums);
      for (unsigned r = 0; r < tile_rows; ++r)
        finish(issue, sums + r * tile_columns, d.data() + (row + r) * n + column);
    }
  }
}

unsigned elements_in_16_bytes(MatrixElement type) {
  switch (type) {
    case MatrixElement::f16:
    case MatrixElement::bf16:
      return 8;
    case MatrixElement::tf32:
      return 4;
    default:
      return 16;
  }
}

void decode(MatrixElement type, const void* from, double* to) {
  switch (type) {
    case MatrixElement::f16:
      return decode_words<std::uint16_t>(from, to, float_from_half);
    case MatrixElement::bf16:
      return decode_words<std::uint16_t>(from, to, float_from_bf16);
    case MatrixElement::tf32:
      return decode_words<float>(from, to, truncated_to_tf32);
    default:
      return decode_words<std::uint8_t>(
          from, to, [&table = table_of(type)](std::uint8_t byte) { return table[byte]; });
  }
}

}  // namespace kata::emulator::ptx
