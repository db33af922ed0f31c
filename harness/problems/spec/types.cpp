#include "problems/spec/types.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace kata {
namespace {

/// A binary floating-point format of at most 16 bits.
struct Format {
  int exponent_bits, fraction_bits;
  unsigned too_large, nan;  ///< the code of what is too large, and of NaN

  int least_exponent() const { return 2 - (1 << (exponent_bits - 1)); }
};

constexpr Format half{5, 10, 0x7c00, 0x7e00};
constexpr Format bfloat16{8, 7, 0x7f80, 0x7fc0};
constexpr Format e4m3{4, 3, 0x7e, 0x7f};

/// The exponent of the binade that holds a positive magnitude; that of subnormal numbers is the
/// least normal one.
int exponent_of(double magnitude, int least_exponent) {
  return magnitude == 0 ? least_exponent : std::max(std::ilogb(magnitude), least_exponent);
}

/// The power of two with that exponent, of a normal double.
double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

/// The nearest number of the format, ties to even. Inputs have millions of elements: no call of the
/// mathematical library.
std::uint16_t encode(double value, Format format) {
  const unsigned sign_bit = 1u << (format.exponent_bits + format.fraction_bits);
  const unsigned sign = std::signbit(value) ? sign_bit : 0;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | format.nan);
  const double magnitude = std::min(std::fabs(value), 0x1p128);  // too large in every format
  const auto field = static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52);
  const int exponent = std::max(field - 1023, format.least_exponent());
  // The sum rounds to a multiple of the format's last place, and its own last bits count these.
  const double shift = power_of_two(52 + exponent - format.fraction_bits);
  const std::uint64_t units =
      std::bit_cast<std::uint64_t>(magnitude + shift) - std::bit_cast<std::uint64_t>(shift);
  // The hidden bit, which is 1 in all but subnormal numbers, adds 1 to the exponent's field; a
  // fraction that is rounded up beyond its bits adds another.
  const std::uint64_t binades = static_cast<std::uint64_t>(exponent - format.least_exponent());
  const std::uint64_t bits = units + (binades << format.fraction_bits);
  return static_cast<std::uint16_t>(sign | std::min<std::uint64_t>(bits, format.too_large));
}

}  // namespace

std::size_t size_of(Type type) {
  switch (type) {
    case Type::f32:
    case Type::i32:
    case Type::u32:
      return 4;
    case Type::f16:
    case Type::bf16:
      return 2;
    case Type::e4m3:
    case Type::i8:
    case Type::u8:
      return 1;
  }
  return 0;
}

const char* cuda_name(Type type) {
  switch (type) {
    case Type::f32:
      return "float";
    case Type::f16:
      return "__half";
    case Type::bf16:
      return "__nv_bfloat16";
    case Type::e4m3:
      return "__nv_fp8_e4m3";
    case Type::i32:
      return "int";
    case Type::u32:
      return "unsigned";
    case Type::i8:
      return "signed char";
    case Type::u8:
      return "unsigned char";
  }
  return "";
}

bool is_float(Type type) {
  return type == Type::f32 || type == Type::f16 || type == Type::bf16 || type == Type::e4m3;
}

double largest_finite(Type type) {
  switch (type) {
    case Type::f32:
      return 0x1.fffffep127;
    case Type::f16:
      return 65504;
    case Type::bf16:
      return 0x1.fep127;
    case Type::e4m3:
      return 448;
    case Type::i32:
      return 0x7fffffff;
    case Type::u32:
      return 0xffffffff;
    case Type::i8:
      return 127;
    case Type::u8:
      return 255;
  }
  return 0;
}

double rounding(Type type, double magnitude) {
  const auto half_ulp = [&](int fraction_bits, int least_exponent) {
    return std::ldexp(0.5, exponent_of(std::fabs(magnitude), least_exponent) - fraction_bits);
  };
  if (type == Type::f32) return half_ulp(23, -126);
  if (type == Type::f16) return half_ulp(half.fraction_bits, half.least_exponent());
  if (type == Type::bf16) return half_ulp(bfloat16.fraction_bits, bfloat16.least_exponent());
  if (type == Type::e4m3) return half_ulp(e4m3.fraction_bits, e4m3.least_exponent());
  return 0.5;
}

Half::Half(double value) : bits(encode(value, half)) {}

Bfloat16::Bfloat16(double value) : bits(encode(value, bfloat16)) {}

E4m3::E4m3(double value) : bits(static_cast<std::uint8_t>(encode(value, e4m3))) {}

}  // namespace kata
