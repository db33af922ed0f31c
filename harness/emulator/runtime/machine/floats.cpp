// Arithmetic of float and double, and conversions.
#include <algorithm>
#include <bit>
#include <cmath>

#include "emulator/runtime/machine/halves.h"
#include "emulator/runtime/machine/launch.h"
#include "emulator/runtime/machine/sources.h"

namespace kata::emulator::machine {
namespace {

// Sums are rounded twice, which changes no counter but by chance. So are other modes of rounding.

template <class F>
Floats each_float(F f) {
  Floats all;
  for (unsigned i = 0; i < 32; ++i) all[i] = f(i);
  return all;
}

template <class F>
Doubles each_double(F f) {
  Doubles all;
  for (unsigned i = 0; i < 32; ++i) all[i] = f(i);
  return all;
}

void saturate(const Context& it, Floats& values) {
  if (!it.word.bit(77)) return;
  for (float& one : values) one = one > 0 ? std::min(one, 1.0f) : 0;
}

void add_floats(const Context& it) {
  const Floats a = floats_of(it, Place::a), b = floats_of(it, Place::b);
  Floats sums = each_float([&](unsigned i) { return a[i] + b[i]; });
  saturate(it, sums);
  set_floats(it, sums);
}

void multiply_two_floats(const Context& it) {
  const Floats a = floats_of(it, Place::a), b = floats_of(it, Place::b);
  Floats products = each_float([&](unsigned i) { return a[i] * b[i]; });
  saturate(it, products);
  set_floats(it, products);
}

void multiply_add_floats(const Context& it) {
  const Floats a = floats_of(it, Place::a), b = floats_of(it, second(it)),
               c = floats_of(it, third(it));
  Floats sums = each_float([&](unsigned i) {
    return static_cast<float>(static_cast<double>(a[i]) * static_cast<double>(b[i]) +
                              static_cast<double>(c[i]));
  });
  saturate(it, sums);
  set_floats(it, sums);
}

void smaller_or_larger_float(const Context& it) {
  const Floats a = floats_of(it, Place::a), b = floats_of(it, Place::b);
  const unsigned smaller = predicate_at(it, 87, 90);
  set_floats(it, each_float([&](unsigned i) {
               return smaller >> i & 1 ? std::fmin(a[i], b[i]) : std::fmax(a[i], b[i]);
             }));
}

void select_float(const Context& it) {
  const Lanes a = float_bits_of(it, Place::a), b = float_bits_of(it, Place::b);
  const unsigned chosen = predicate_at(it, 87, 90);
  Lanes result;
  for (unsigned i = 0; i < 32; ++i) result[i] = chosen >> i & 1 ? a[i] : b[i];
  it.file.set(it.to(), result, it.lanes);
}

template <class Values>
void compare_values(const Context& it, const Values& a, const Values& b) {
  const unsigned test = it.word.field(76, 4);
  unsigned found = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const bool holds = ((test & 1) && a[i] < b[i]) || ((test & 2) && a[i] == b[i]) ||
                       ((test & 4) && a[i] > b[i]) ||
                       ((test & 8) && (std::isnan(a[i]) || std::isnan(b[i])));
    found |= static_cast<unsigned>(holds) << i;
  }
  const unsigned before = predicate_at(it, 87, 90), how = it.word.field(74, 2);
  const auto combined = [&](unsigned one) {
    return how == 0 ? one & before : how == 1 ? one | before : one ^ before;
  };
  it.file.set_predicate(it.word.field(81, 3), combined(found), it.lanes);
  it.file.set_predicate(it.word.field(84, 3), combined(~found), it.lanes);
}
void compare_floats(const Context& it) {
  compare_values(it, floats_of(it, Place::a), floats_of(it, Place::b));
}

/// Of doubles the second operand is the third where it is a register.
Place second_double(const Context& it) {
  return it.form == 1 ? Place::c : Place::b;
}
void add_doubles(const Context& it) {
  const Doubles a = doubles_of(it, Place::a), b = doubles_of(it, second_double(it));
  set_doubles(it, each_double([&](unsigned i) { return a[i] + b[i]; }));
}
void multiply_doubles(const Context& it) {
  const Doubles a = doubles_of(it, Place::a), b = doubles_of(it, Place::b);
  set_doubles(it, each_double([&](unsigned i) { return a[i] * b[i]; }));
}
void multiply_add_doubles(const Context& it) {
  const Doubles a = doubles_of(it, Place::a), b = doubles_of(it, second(it)),
                c = doubles_of(it, third(it));
  set_doubles(it, each_double([&](unsigned i) { return std::fma(a[i], b[i], c[i]); }));
}
void compare_doubles(const Context& it) {
  compare_values(it, doubles_of(it, Place::a), doubles_of(it, Place::b));
}

/// Of the high word of a double, as the device's code for divisions and roots begins with.
float of_high_word(float high, bool root) {
  const auto bits = std::uint64_t{std::bit_cast<std::uint32_t>(high)} << 32;
  const auto value = std::bit_cast<double>(bits);
  const double result = root ? 1 / std::sqrt(value) : 1 / value;
  return std::bit_cast<float>(
      static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(result) >> 32));
}

float special(unsigned function, float x) {
  constexpr float turn = 6.283185307f;
  switch (function) {
    case 0:
      return std::cos(x * turn);
    case 1:
      return std::sin(x * turn);
    case 2:
      return std::exp2(x);
    case 3:
      return std::log2(x);
    case 4:
      return 1 / x;
    case 5:
      return 1 / std::sqrt(x);
    case 6:
      return of_high_word(x, false);
    case 7:
      return of_high_word(x, true);
    case 8:
      return std::sqrt(x);
    case 9:
      return std::tanh(x);
    default:
      throw Unsupported{"MUFU with another function"};
  }
}

void special_function(const Context& it) {
  const unsigned function = it.word.field(74, 6);
  const Floats b = floats_of(it, Place::b);
  Floats result{};
  for (unsigned i = 0; i < 32; ++i)
    if (it.lanes >> i & 1) result[i] = special(function, b[i]);
  set_floats(it, result);
}

/// Whether a division needs the longer way.
void check_division(const Context& it) {
  const Floats a = floats_of(it, Place::a), b = floats_of(it, Place::b);
  const auto is_plain = [](float x) {
    const unsigned exponent = std::bit_cast<std::uint32_t>(x) >> 23 & 0xff;
    return exponent > 1 && exponent < 253;
  };
  unsigned longer = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const int distance = static_cast<int>(std::bit_cast<std::uint32_t>(a[i]) >> 23 & 0xff) -
                         static_cast<int>(std::bit_cast<std::uint32_t>(b[i]) >> 23 & 0xff);
    const bool fits =
        is_plain(b[i]) && ((a[i] == 0) || (is_plain(a[i]) && distance > -126 && distance < 126 &&
                                           (std::bit_cast<std::uint32_t>(a[i]) >> 23 & 0xff) > 24));
    longer |= static_cast<unsigned>(!fits) << i;
  }
  it.file.set_predicate(it.word.field(81, 3), longer, it.lanes);
}

/// A value of 1, 2, 4 or 8 bytes at B, as a float of 2, 4 or 8.
Doubles converted_source(const Context& it, unsigned log2_bytes) {
  if (log2_bytes == 3) return doubles_of(it, Place::b);
  const Floats b = floats_of(it, Place::b);
  const Lanes bits = bits_of(it, Place::b);
  const bool high = !is_immediate(it, Place::b) && it.word.field(60, 2) == 1;
  return each_double([&](unsigned i) -> double {
    if (log2_bytes == 2) return b[i];
    const double value = float_of_half(static_cast<std::uint16_t>(bits[i] >> (high ? 16 : 0)));
    const double positive = is_absolute(it, Place::b) ? std::fabs(value) : value;
    return is_negative(it, Place::b) ? -positive : positive;
  });
}

double rounded(double value, unsigned mode) {
  return mode == 0   ? std::nearbyint(value)
         : mode == 1 ? std::floor(value)
         : mode == 2 ? std::ceil(value)
                     : std::trunc(value);
}

/// `type`: the binary logarithm of the bytes, or that of bfloat16.
void set_converted(const Context& it, unsigned type, const Doubles& values) {
  constexpr unsigned half_type = 1, bfloat_type = 4;
  if (type == 3) return set_doubles(it, values);
  if (type == 2)
    return set_floats(it, each_float([&](unsigned i) { return static_cast<float>(values[i]); }));
  if (type != half_type && type != bfloat_type) throw Unsupported{"floats of another type"};
  Lanes narrow;
  for (unsigned i = 0; i < 32; ++i) {
    const auto value = static_cast<float>(values[i]);
    narrow[i] = type == bfloat_type ? bfloat_of_float(value) : half_of_float(value);
  }
  it.file.set(it.to(), narrow, it.lanes);
}

void float_to_float(const Context& it) {
  set_converted(it, it.word.field(75, 3), converted_source(it, it.word.field(84, 2)));
}

void round_float(const Context& it) {
  const Doubles from = converted_source(it, it.word.field(84, 2));
  const unsigned mode = it.word.field(78, 2);
  set_converted(it, it.word.field(75, 2),
                each_double([&](unsigned i) { return rounded(from[i], mode); }));
}

void float_to_integer(const Context& it) {
  const Doubles from = converted_source(it, it.word.field(84, 2));
  const unsigned mode = it.word.field(78, 2), log2_bytes = it.word.field(75, 2);
  const bool is_signed = it.word.bit(72);
  const unsigned bits = 8u << log2_bytes;
  WideLanes result;
  for (unsigned i = 0; i < 32; ++i) {
    const double value = std::isnan(from[i]) ? 0 : rounded(from[i], mode);
    const double low = is_signed ? -std::ldexp(1.0, static_cast<int>(bits) - 1) : 0;
    const double end = std::ldexp(1.0, static_cast<int>(bits) - is_signed);
    if (is_signed) {
      result[i] = value >= end
                      ? (std::uint64_t{1} << (bits - 1)) - 1
                      : static_cast<std::uint64_t>(static_cast<std::int64_t>(std::max(value, low)));
    } else {
      result[i] = value >= end ? (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1)
                               : static_cast<std::uint64_t>(std::max(value, low));
    }
  }
  if (log2_bytes == 3) return it.file.set_wide(it.to(), result, it.lanes);
  Lanes narrow;
  for (unsigned i = 0; i < 32; ++i) narrow[i] = static_cast<std::uint32_t>(result[i]);
  it.file.set(it.to(), narrow, it.lanes);
}

void integer_to_float(const Context& it) {
  const unsigned log2_bytes = it.word.field(84, 2);
  const bool is_signed = it.word.bit(74);
  const unsigned byte = is_immediate(it, Place::b) ? 0 : it.word.field(60, 2);
  const WideLanes from = log2_bytes == 3 ? wide_bits_of(it, Place::b) : WideLanes{};
  const Lanes b = bits_of(it, Place::b);
  set_converted(it, it.word.field(75, 3), each_double([&](unsigned i) -> double {
                  if (log2_bytes == 3)
                    return is_signed ? static_cast<double>(static_cast<std::int64_t>(from[i]))
                                     : static_cast<double>(from[i]);
                  const unsigned unused = 32 - (8u << log2_bytes);
                  const std::uint32_t high = b[i] >> 8 * byte << unused;
                  return is_signed ? static_cast<std::int32_t>(high) >> unused : high >> unused;
                }));
}

/// I2FP: of 32 bits.
void integer_to_plain_float(const Context& it) {
  const Lanes b = bits_of(it, Place::b);
  const bool is_signed = it.word.bit(74);
  set_floats(it, each_float([&](unsigned i) {
               return is_signed ? static_cast<float>(static_cast<std::int32_t>(b[i]))
                                : static_cast<float>(b[i]);
             }));
}

}  // namespace

const Table& float_operations() {
  static const Table table{{0x08, select_float},
                           {0x09, smaller_or_larger_float},
                           {0x0b, compare_floats},
                           {0x20, multiply_two_floats},
                           {0x21, add_floats},
                           {0x23, multiply_add_floats},
                           {0x28, multiply_doubles},
                           {0x29, add_doubles},
                           {0x2a, compare_doubles},
                           {0x2b, multiply_add_doubles},
                           {0x45, integer_to_plain_float},
                           {0x102, check_division},
                           {0x104, float_to_float},
                           {0x105, float_to_integer},
                           {0x106, integer_to_float},
                           {0x107, round_float},
                           {0x108, special_function},
                           {0x110, float_to_float},
                           {0x111, float_to_integer},
                           {0x112, integer_to_float},
                           {0x113, round_float}};
  return table;
}

}  // namespace kata::emulator::machine
