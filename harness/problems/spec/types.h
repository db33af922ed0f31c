#pragma once
// The element types of the operators' tensors, and the short floats on the host: a problem file
// needs no CUDA header.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace kata {

enum class Type { f32, f16, bf16, e4m3, i32, u32, i8, u8 };

/// Bytes of one element.
std::size_t size_of(Type type);

/// As a declaration in CUDA C++ spells it: "float", "__half", "signed char".
const char* cuda_name(Type type);

bool is_float(Type type);

/// The largest finite number of the type.
double largest_finite(Type type);

/// The most that rounding to the nearest number of a float type changes a number of that magnitude
/// (half an ulp). To be added to the tolerance of a result that is rounded once at the end.
double rounding(Type type, double magnitude);

/// IEEE 754 binary16: CUDA's __half. Rounds to nearest, ties to even.
struct Half {
  std::uint16_t bits = 0;

  Half() = default;
  explicit Half(double value);
  operator float() const {
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    const std::uint32_t magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000u | magnitude << 13);
    // Moves the exponent from bias 15 to bias 127. Exact for subnormal numbers, too.
    const float moved = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(moved));
  }
};

/// The upper half of a float: CUDA's __nv_bfloat16. Rounds to nearest, ties to even.
struct Bfloat16 {
  std::uint16_t bits = 0;

  Bfloat16() = default;
  explicit Bfloat16(double value);
  operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

/// FP8 with 4 bits of exponent and 3 of fraction: CUDA's __nv_fp8_e4m3. Rounds to nearest, ties to
/// even; has no infinity, and what is too large becomes 448.
struct E4m3 {
  std::uint8_t bits = 0;

  E4m3() = default;
  explicit E4m3(double value);
  operator float() const {
    const std::uint32_t sign = (bits & 0x80u) << 24;
    const std::uint32_t magnitude = bits & 0x7fu;
    if (magnitude == 0x7f) return std::bit_cast<float>(sign | 0x7fc00000u);
    // Moves the exponent from bias 7 to bias 127, as in a Half.
    const float moved = std::bit_cast<float>(magnitude << 20) * 0x1p120f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(moved));
  }
};

namespace detail {
template <class T>
struct TypeOf;
template <>
struct TypeOf<float> {
  static constexpr Type value = Type::f32;
};
template <>
struct TypeOf<Half> {
  static constexpr Type value = Type::f16;
};
template <>
struct TypeOf<Bfloat16> {
  static constexpr Type value = Type::bf16;
};
template <>
struct TypeOf<E4m3> {
  static constexpr Type value = Type::e4m3;
};
template <>
struct TypeOf<int> {
  static constexpr Type value = Type::i32;
};
template <>
struct TypeOf<unsigned> {
  static constexpr Type value = Type::u32;
};
template <>
struct TypeOf<signed char> {
  static constexpr Type value = Type::i8;
};
template <>
struct TypeOf<unsigned char> {
  static constexpr Type value = Type::u8;
};
}  // namespace detail

/// The Type of a C++ type: type_of<Half> is Type::f16.
template <class T>
inline constexpr Type type_of = detail::TypeOf<T>::value;

}  // namespace kata
