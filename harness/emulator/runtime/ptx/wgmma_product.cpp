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

double from_fp8(std::uint8_t bits, unsigned mantissa_bits, int bias, bool has_infinity) {
  const unsigned exponent_bits = 7 - mantissa_bits;
  const int exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const double sign = bits & 0x80 ? -1 : 1;
  if (has_infinity && exponent == (1 << exponent_bits) - 1) return mantissa ? NAN : sign * INFINITY;
  if (!has_infinity && (bits & 0x7f) == 0x7f) return NAN;
  const int whole_mantissa = exponent ? mantissa + (1 << mantissa_bits) : mantissa;
  return sign *
         std::ldexp(whole_mantissa, std::max(exponent, 1) - bias - static_cast<int>(mantissa_bits));
}

using ByteTable = std::array<double, 256>;
ByteTable byte_table(MatrixElement type) {
  ByteTable table;
  for (unsigned bits = 0; bits < 256; ++bits) {
    const auto byte = static_cast<std::uint8_t>(bits);
    table[bits] = type == MatrixElement::s8     ? static_cast<std::int8_t>(byte)
                  : type == MatrixElement::u8   ? byte
                  : type == MatrixElement::e4m3 ? from_fp8(byte, 3, 7, false)
                                                : from_fp8(byte, 2, 15, true);
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

void multiply(const MatrixIssue& issue, const double* a, const double* packed_b, MatrixValues& d) {
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
