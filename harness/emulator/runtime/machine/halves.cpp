// Arithmetic of pairs of 16-bit floats.
#include <algorithm>
#include <cmath>

#include "emulator/runtime/machine/halves.h"
#include "emulator/runtime/machine/launch.h"
#include "emulator/runtime/machine/sources.h"

namespace kata::emulator::machine {
namespace {

struct Pair {
  float low = 0, high = 0;
};
using Pairs = std::array<Pair, 32>;

bool is_bfloat(const Context& it) {
  return it.word.bit(85);
}
float as_float(const Context& it, std::uint16_t bits) {
  return is_bfloat(it) ? float_of_bfloat(bits) : float_of_half(bits);
}
std::uint16_t as_bits(const Context& it, float value) {
  return is_bfloat(it) ? bfloat_of_float(value) : half_of_float(value);
}

Pairs pairs_of(const Context& it, Place place) {
  const Lanes bits = bits_of(it, place);
  const bool constant = is_immediate(it, place);
  const unsigned swizzle_at = place == Place::a ? 74 : place == Place::b ? 60 : 81;
  const unsigned negation = place == Place::a ? 72 : place == Place::b ? 63 : 84;
  const unsigned magnitude = place == Place::a ? 73 : place == Place::b ? 62 : 83;
  const unsigned swizzle = constant ? 0 : it.word.field(swizzle_at, 2);
  Pairs all;
  for (unsigned i = 0; i < 32; ++i) {
    const auto low = static_cast<std::uint16_t>(bits[i]);
    const auto high = static_cast<std::uint16_t>(bits[i] >> 16);
    Pair pair{as_float(it, swizzle == 3 ? high : low), as_float(it, swizzle == 2 ? low : high)};
    if (swizzle == 1) pair.low = pair.high = std::bit_cast<float>(bits[i]);
    if (!constant && it.word.bit(magnitude)) pair = {std::fabs(pair.low), std::fabs(pair.high)};
    if (!constant && it.word.bit(negation)) pair = {-pair.low, -pair.high};
    all[i] = pair;
  }
  return all;
}

template <class F>
void set_each(const Context& it, F f) {
  Lanes result;
  for (unsigned i = 0; i < 32; ++i) {
    const Pair pair = f(i);
    result[i] = as_bits(it, pair.low) | std::uint32_t{as_bits(it, pair.high)} << 16;
  }
  it.file.set(it.to(), result, it.lanes);
}

void add_halves(const Context& it) {
  const Pairs a = pairs_of(it, Place::a);
  const Pairs b = pairs_of(it, Place::b);
  if (it.word.bit(78)) {  // one float
    Floats sums;
    for (unsigned i = 0; i < 32; ++i) sums[i] = a[i].low + b[i].low;
    return set_floats(it, sums);
  }
  set_each(it, [&](unsigned i) { return Pair{a[i].low + b[i].low, a[i].high + b[i].high}; });
}

void multiply_pairs(const Context& it) {
  const Pairs a = pairs_of(it, Place::a), b = pairs_of(it, Place::b);
  set_each(it, [&](unsigned i) { return Pair{a[i].low * b[i].low, a[i].high * b[i].high}; });
}

void multiply_add_halves(const Context& it) {
  const Pairs a = pairs_of(it, Place::a), b = pairs_of(it, second(it)), c = pairs_of(it, third(it));
  const bool positive = it.word.bit(79);
  set_each(it, [&](unsigned i) {
    Pair sum{a[i].low * b[i].low + c[i].low, a[i].high * b[i].high + c[i].high};
    if (positive) sum = {std::fmax(sum.low, 0.0f), std::fmax(sum.high, 0.0f)};
    return sum;
  });
}

void smaller_or_larger_half(const Context& it) {
  const Pairs a = pairs_of(it, Place::a), b = pairs_of(it, Place::b);
  const unsigned smaller = predicate_at(it, 87, 90);
  set_each(it, [&](unsigned i) {
    return smaller >> i & 1 ? Pair{std::fmin(a[i].low, b[i].low), std::fmin(a[i].high, b[i].high)}
                            : Pair{std::fmax(a[i].low, b[i].low), std::fmax(a[i].high, b[i].high)};
  });
}

bool holds(unsigned test, float a, float b) {
  return ((test & 1) && a < b) || ((test & 2) && a == b) || ((test & 4) && a > b) ||
         ((test & 8) && (std::isnan(a) || std::isnan(b)));
}

void compare_halves(const Context& it) {
  const Pairs a = pairs_of(it, Place::a), b = pairs_of(it, Place::b);
  const unsigned test = it.word.field(76, 4), before = predicate_at(it, 87, 90);
  const unsigned how = it.word.field(69, 2);
  const auto combined = [&](unsigned one) {
    return how == 0 ? one & before : how == 1 ? one | before : one ^ before;
  };
  unsigned low = 0, high = 0;
  for (unsigned i = 0; i < 32; ++i) {
    low |= static_cast<unsigned>(holds(test, a[i].low, b[i].low)) << i;
    high |= static_cast<unsigned>(holds(test, a[i].high, b[i].high)) << i;
  }
  if (it.word.bit(71)) low = high = low & high;
  it.file.set_predicate(it.word.field(81, 3), combined(low), it.lanes);
  it.file.set_predicate(it.word.field(84, 3), combined(high), it.lanes);
}

/// Ones or zeros: as floats, or as bits.
void compare_to_values(const Context& it) {
  const Pairs a = pairs_of(it, Place::a), b = pairs_of(it, Place::b);
  const unsigned test = it.word.field(76, 4), before = predicate_at(it, 87, 90);
  const std::uint32_t one = it.word.bit(71) ? (is_bfloat(it) ? 0x3f80 : 0x3c00) : 0xffff;
  Lanes result;
  for (unsigned i = 0; i < 32; ++i) {
    const bool takes = before >> i & 1;
    result[i] = (takes && holds(test, a[i].low, b[i].low) ? one : 0) |
                (takes && holds(test, a[i].high, b[i].high) ? one << 16 : 0);
  }
  it.file.set(it.to(), result, it.lanes);
}

float float_of_e4m3(std::uint8_t bits) {
  const int exponent = bits >> 3 & 15, mantissa = bits & 7;
  const float sign = bits & 0x80 ? -1.0f : 1.0f;
  if (exponent == 15 && mantissa == 7) return NAN;
  return sign * (exponent ? std::ldexp(1 + static_cast<float>(mantissa) / 8, exponent - 7)
                          : std::ldexp(static_cast<float>(mantissa) / 8, -6));
}

/// F2FP: two floats become a pair, the first one the upper.
void pack_floats(const Context& it) {
  const bool from_bytes = it.word.bit(73) && it.word.bit(74);
  if (from_bytes) {
    const Lanes b = bits_of(it, Place::b);
    Lanes result;
    for (unsigned i = 0; i < 32; ++i)
      result[i] = half_of_float(float_of_e4m3(static_cast<std::uint8_t>(b[i]))) |
                  std::uint32_t{half_of_float(float_of_e4m3(static_cast<std::uint8_t>(b[i] >> 8)))}
                      << 16;
    return it.file.set(it.to(), result, it.lanes);
  }
  if (it.word.bit(73) || it.word.bit(74) || it.word.bit(78) || it.word.bit(77))
    throw Unsupported{"F2FP of another type"};
  const Floats a = std::bit_cast<Floats>(bits_of(it, Place::a));
  const Floats b = std::bit_cast<Floats>(bits_of(it, second(it)));
  const bool bfloat = it.word.bit(76);
  Lanes result;
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint32_t high = bfloat ? bfloat_of_float(a[i]) : half_of_float(a[i]);
    result[i] = high << 16 | (bfloat ? bfloat_of_float(b[i]) : half_of_float(b[i]));
  }
  it.file.set(it.to(), result, it.lanes);
}

}  // namespace

const Table& half_operations() {
  static const Table table{{0x30, add_halves},     {0x31, multiply_add_halves},
                           {0x32, multiply_pairs}, {0x33, compare_to_values},
                           {0x34, compare_halves}, {0x35, multiply_add_halves},
                           {0x3e, pack_floats},    {0x40, smaller_or_larger_half}};
  return table;
}

}  // namespace kata::emulator::machine
