// PTX conversions between types and between address spaces.

#include <algorithm>
#include <limits>

#include "emulator/runtime/launch/running.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/shared_memory.h"
#include "emulator/runtime/ptx/values.h"
#include "emulator/runtime/run/scheduler.h"
#include "emulator/runtime/run/shared_window.h"

namespace kata::emulator::ptx {
namespace {

double float_source(const Context& c, const Source& source, Type type) {
  switch (type) {
    case Type::f64:
      return c.get<double>(source);
    case Type::f16:
    case Type::bf16:
      return float_from_narrow(c.get<std::uint16_t>(source), type);
    default:
      return c.get<float>(source);
  }
}

double rounded(const Instruction& i, double value) {
  if (i.has("rni")) return std::nearbyint(value);
  if (i.has("rzi")) return std::trunc(value);
  if (i.has("rmi")) return std::floor(value);
  if (i.has("rpi")) return std::ceil(value);
  return value;
}

/// Out of range it saturates, and NaN becomes 0.
template <class T>
T to_integer(double value) {
  if (value != value) return 0;
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  // The largest 64-bit number is no double: the next power of two is.
  if (value >= std::ldexp(1.0, std::numeric_limits<T>::digits))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

std::uint64_t float_bits(Context& c, const Instruction& i, double value, Type to) {
  if (i.has("sat")) value = saturated(value);
  if (i.has("relu")) value = value > 0 ? value : 0;
  switch (to) {
    case Type::f64:
      return std::bit_cast<std::uint64_t>(value);
    case Type::f32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case Type::tf32:
      return std::bit_cast<std::uint32_t>(round_to_tf32(static_cast<float>(value)));
    case Type::f16:
    case Type::bf16:
      return narrow_from_float(static_cast<float>(value), to);
    default:
      c.unsupported(i);
  }
}

void from_integer(Context& c, const Instruction& i, Type from, Type to) {
  const Source& source = i.operands[1].value;
  const unsigned unused = 64 - 8 * bytes_of(from);
  const std::uint64_t high = c.bits(source) << unused;
  const auto signed_value = static_cast<std::int64_t>(high) >> unused;
  const std::uint64_t value =
      is_signed(from) ? static_cast<std::uint64_t>(signed_value) : high >> unused;
  if (is_float(to)) {
    // An integer's one rounding is to the type itself: by way of double a long one would get two.
    const auto convert = [&](auto result) {
      using T = decltype(result);
      return is_signed(from) ? static_cast<T>(signed_value) : static_cast<T>(value);
    };
    if (to == Type::f64) return c.set(i, convert(double{}));
    return c.set_bits(i.operands[0].value, float_bits(c, i, convert(float{}), to));
  }
  if (i.has("sat")) c.unsupported(i);
  const unsigned bytes = bytes_of(to);
  c.set_bits(i.operands[0].value,
             bytes == 8 ? value : value & ((std::uint64_t{1} << 8 * bytes) - 1));
}

void float_to_integer(Context& c, const Instruction& i, double value, Type to) {
  switch (to) {
    case Type::u8:
      return c.set(i, to_integer<std::uint8_t>(value));
    case Type::s8:
      return c.set(i, static_cast<std::int32_t>(to_integer<std::int8_t>(value)));
    case Type::u16:
      return c.set(i, to_integer<std::uint16_t>(value));
    case Type::s16:
      return c.set(i, to_integer<std::int16_t>(value));
    case Type::u32:
      return c.set(i, to_integer<std::uint32_t>(value));
    case Type::s32:
      return c.set(i, to_integer<std::int32_t>(value));
    case Type::u64:
      return c.set(i, to_integer<std::uint64_t>(value));
    default:
      return c.set(i, to_integer<std::int64_t>(value));
  }
}

}  // namespace

void cvt(Context& c, const Instruction& i) {
  if (i.types.size() != 2) c.unsupported(i);
  const Type to = i.types[0], from = i.types[1];
  if (is_pair(to)) {  // d = {b, a}: the first source is the upper half
    if (from != Type::f32 || i.operands.size() != 3) c.unsupported(i);
    const Type half = to == Type::f16x2 ? Type::f16 : Type::bf16;
    const std::uint64_t high = float_bits(c, i, c.get<float>(i, 1), half);
    return c.set_bits(i.operands[0].value, high << 16 | float_bits(c, i, c.get<float>(i, 2), half));
  }
  if (!is_float(from)) return from_integer(c, i, from, to);
  const double value = rounded(i, float_source(c, i.operands[1].value, from));
  if (is_float(to)) return c.set_bits(i.operands[0].value, float_bits(c, i, value, to));
  float_to_integer(c, i, value, to);
}

void cvta(Context& c, const Instruction& i) {
  std::uint64_t address = c.bits(i.operands[1].value);
  if (i.in_shared()) {
    address = i.has("to") ? to_shared_window(address)
                          : from_shared_window(static_cast<std::uint32_t>(address));
  }
  c.set_bits(i.operands[0].value, address);
}

void isspacep(Context& c, const Instruction& i) {
  const std::uint64_t address = c.bits(i.operands[1].value);
  bool inside = address - arena_low < arena_bytes;
  if (i.has("shared")) inside = address - running.shared_low < shared_span;
  if (i.has("shared::cluster")) inside = block_of_shared(address) != nullptr;
  if (i.has("local"))
    inside = address - running.scheduler->fibers().active()->stack_low < fiber_stack_bytes;
  c.set_bits(i.operands[0].value, inside);
}

}  // namespace kata::emulator::ptx
