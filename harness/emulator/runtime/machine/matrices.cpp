// Products of a warp's matrices: HMMA and IMMA (PTX ISA, "Matrix Fragments for mma").
#include <bit>

#include "emulator/runtime/machine/halves.h"
#include "emulator/runtime/machine/launch.h"
#include "emulator/runtime/machine/sources.h"

namespace kata::emulator::machine {
namespace {

template <class T, unsigned depth>
struct Operands {
  std::array<std::array<T, depth>, 16> a;
  std::array<std::array<T, 8>, depth> b;
};

/// `per_word`: elements in a register.
template <class T, unsigned depth, unsigned per_word, class Element>
Operands<T, depth> operands_of(const Context& it, Element of_a, Element of_b) {
  Operands<T, depth> all;
  const unsigned a = it.word.field(24), b = it.word.field(32);
  constexpr unsigned halves = depth / (4 * per_word);  // of a row
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned half = 0; half < halves; ++half) {
      for (unsigned k = 0; k < per_word; ++k) {
        const unsigned column = half * 4 * per_word + lane % 4 * per_word + k;
        for (unsigned upper = 0; upper < 2; ++upper)
          all.a[lane / 4 + 8 * upper][column] = of_a(it.file[a + 2 * half + upper][lane], k);
        all.b[column][lane / 4] = of_b(it.file[b + half][lane], k);
      }
    }
  }
  return all;
}

template <class T, unsigned depth, class Get, class Set>
void multiply_matrices(const Operands<T, depth>& of, Get get, Set set) {
  for (unsigned row = 0; row < 16; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      T sum = get(row, column);
      for (unsigned k = 0; k < depth; ++k) sum += of.a[row][k] * of.b[k][column];
      set(row, column, sum);
    }
  }
}

/// Accumulators of 32 bits: two neighbours of a row in a lane, and two 8 rows below.
template <class T, unsigned depth>
void multiply_words(const Context& it, const Operands<T, depth>& of) {
  const unsigned to = it.to(), c = it.word.field(64);
  std::array<Lanes, 4> result{};
  const auto lane = [](unsigned row, unsigned column) { return row % 8 * 4 + column / 2; };
  const auto number = [](unsigned row, unsigned column) { return row / 8 * 2 + column % 2; };
  multiply_matrices(
      of,
      [&](unsigned row, unsigned column) {
        return c == it.file.zero
                   ? T{0}
                   : std::bit_cast<T>(it.file[c + number(row, column)][lane(row, column)]);
      },
      [&](unsigned row, unsigned column, T sum) {
        result[number(row, column)][lane(row, column)] = std::bit_cast<std::uint32_t>(sum);
      });
  for (unsigned i = 0; i < 4; ++i) it.file.set(to + i, result[i], it.lanes);
}

/// Accumulators of 16 bits: two in a register.
template <unsigned depth>
void multiply_halves(const Context& it, const Operands<float, depth>& of) {
  const unsigned to = it.to(), c = it.word.field(64);
  std::array<Lanes, 2> result{};
  multiply_matrices(
      of,
      [&](unsigned row, unsigned column) {
        if (c == it.file.zero) return 0.0f;
        const std::uint32_t word = it.file[c + row / 8][row % 8 * 4 + column / 2];
        return float_of_half(static_cast<std::uint16_t>(word >> 16 * (column % 2)));
      },
      [&](unsigned row, unsigned column, float sum) {
        result[row / 8][row % 8 * 4 + column / 2] |= std::uint32_t{half_of_float(sum)}
                                                     << 16 * (column % 2);
      });
  for (unsigned i = 0; i < 2; ++i) it.file.set(to + i, result[i], it.lanes);
}

template <unsigned depth, class Element>
void multiply_floats(const Context& it, Element element) {
  const auto of = operands_of<float, depth, 2>(it, element, element);
  if (it.word.bit(76))
    multiply_words(it, of);
  else
    multiply_halves(it, of);
}

void multiply_floats(const Context& it) {
  const bool deep = it.word.bit(75), bfloat = it.word.bit(82), tf32 = it.word.bit(83);
  if (tf32) {
    const auto element = [](std::uint32_t word, unsigned) {
      return std::bit_cast<float>(word & 0xffffe000);
    };
    return deep ? multiply_words(it, operands_of<float, 4, 1>(it, element, element))
                : multiply_words(it, operands_of<float, 8, 1>(it, element, element));
  }
  const auto element = [bfloat](std::uint32_t word, unsigned k) {
    const auto bits = static_cast<std::uint16_t>(word >> 16 * k);
    return bfloat ? float_of_bfloat(bits) : float_of_half(bits);
  };
  if (deep)
    multiply_floats<16>(it, element);
  else
    multiply_floats<8>(it, element);
}

/// Of bytes, 16 x 8 x 32 or 16.
void multiply_bytes(const Context& it) {
  constexpr std::uint64_t signs = 0x50, deep = 0x400c, flat = 0x4004;
  const std::uint64_t form = it.word.bits(72, 15) & ~signs;
  const auto element = [](bool is_signed) {
    return [is_signed](std::uint32_t word, unsigned k) {
      const auto byte = static_cast<std::uint8_t>(word >> 8 * k);
      return is_signed ? std::int32_t{static_cast<std::int8_t>(byte)} : std::int32_t{byte};
    };
  };
  const auto a = element(it.word.bit(76)), b = element(it.word.bit(78));
  if (form == deep)
    multiply_words(it, operands_of<std::int32_t, 32, 4>(it, a, b));
  else if (form == flat)
    multiply_words(it, operands_of<std::int32_t, 16, 4>(it, a, b));
  else
    throw Unsupported{"IMMA of another form"};
}

/// MOVM: a matrix of 8 x 8 halves, transposed.
void transpose_matrix(const Context& it) {
  const Lanes& from = it.file[it.word.field(24)];
  Lanes result{};
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned row = lane / 4;
    for (unsigned k = 0; k < 2; ++k) {
      const unsigned column = lane % 4 * 2 + k;
      const std::uint32_t half = from[column * 4 + row / 2] >> 16 * (row % 2) & 0xffff;
      result[lane] |= half << 16 * k;
    }
  }
  it.file.set(it.to(), result, it.lanes);
}

}  // namespace

const Table& matrix_operations() {
  static const Table table{
      {0x3c, multiply_floats}, {0x37, multiply_bytes}, {0x3a, transpose_matrix}};
  return table;
}

}  // namespace kata::emulator::machine
