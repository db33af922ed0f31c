#pragma once
// The floating-point types below 32 bits, and tf32: conversions to and from float. To nearest, ties
// to even, unless named otherwise. The candidate's headers have their own, which inline.

#include <bit>
#include <cmath>
#include <cstdint>

namespace kata::emulator {

inline float float_from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

inline std::uint16_t bf16_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;  // NaN
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float float_from_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t magnitude = half & 0x7fff;
  if (magnitude >= 0x7c00)
    return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  const float value = magnitude < 0x400 ? static_cast<float>(magnitude) / 16777216.0f
                                        : std::bit_cast<float>((magnitude << 13) + 0x38000000u);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}

inline std::uint16_t half_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7fff;                                      // NaN
  if (magnitude >= 0x477ff000) return static_cast<std::uint16_t>(sign | 0x7c00);  // infinity
  if (magnitude < 0x38800000) {  // below 2^-14: a multiple of 2^-24
    const float scaled = std::bit_cast<float>(magnitude) * 16777216.0f;
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::rint(scaled)));
  }
  const std::uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

/// FP8 of 4 bits of exponent, without infinity. The product moves the exponent's bias, exactly.
inline float float_from_e4m3(std::uint8_t bits) {
  const std::uint32_t magnitude = bits & 0x7f;
  const float value = magnitude == 0x7f ? NAN : std::bit_cast<float>(magnitude << 20) * 0x1p120f;
  return bits & 0x80 ? -value : value;
}

/// FP8 of 5 bits of exponent: the upper byte of a half.
inline float float_from_e5m2(std::uint8_t bits) {
  return float_from_half(static_cast<std::uint16_t>(bits << 8));
}

/// cvt.rna.tf32: 10 bits of mantissa, ties away from zero.
inline float round_to_tf32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7f800000) == 0x7f800000) return value;
  return std::bit_cast<float>((bits + 0x1000) & 0xffffe000);
}

/// What a tensor core reads of a float: it does not look at the lowest 13 bits.
inline float truncated_to_tf32(float value) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffffe000);
}

}  // namespace kata::emulator
