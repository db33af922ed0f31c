#pragma once
// Bits of 16-bit floats as floats, and back.

#include <bit>
#include <cmath>
#include <cstdint>

namespace kata::emulator::machine {

inline float float_of_half(std::uint16_t bits) {
  const unsigned exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const float sign = bits >> 15 ? -1.0f : 1.0f;
  if (exponent == 31) return mantissa ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return std::bit_cast<float>((bits & 0x8000u) << 16 | (exponent + 112) << 23 | mantissa << 13);
}

/// To the nearest, ties to even.
inline std::uint16_t half_of_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  if (std::isnan(value)) return 0x7fff;
  const float size = std::fabs(value);
  if (size >= 65520.0f) return sign | 0x7c00;
  if (size < 0x1p-14f)
    return static_cast<std::uint16_t>(sign | static_cast<unsigned>(std::nearbyint(size * 0x1p24f)));
  const std::uint32_t magnitude = bits & 0x7fffffff;
  return static_cast<std::uint16_t>(
      sign | (((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - (112u << 10)));
}

inline float float_of_bfloat(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}
inline std::uint16_t bfloat_of_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace kata::emulator::machine
