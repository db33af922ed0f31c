#pragma once
// Operands of machine code's instructions.

#include <bit>
#include <cmath>

#include "emulator/runtime/machine/launch.h"
#include "emulator/runtime/machine/warp.h"

namespace kata::emulator::machine {

/// Where an instruction has an operand: bits 24, 32 or 64.
enum class Place { a, b, c };

/// The two operands after the first. One of them may be a constant, which has bits 32 to 63.
inline Place second(const Context& it) {
  return it.form == 2 || it.form == 3 || it.form == 7 ? Place::c : Place::b;
}
inline Place third(const Context& it) {
  return second(it) == Place::b ? Place::c : Place::b;
}

inline Lanes splat(std::uint32_t value) {
  Lanes all;
  all.fill(value);
  return all;
}

inline bool is_constant(const Context& it, Place place) {
  return place == Place::b && (it.form == 3 || it.form == 5);
}
inline bool is_immediate(const Context& it, Place place) {
  return place == Place::b && (it.form == 2 || it.form == 4);
}
inline bool is_uniform(const Context& it, Place place) {
  return place == Place::b && (it.form == 6 || it.form == 7);
}
inline unsigned register_at(const Context& it, Place place) {
  const unsigned number = it.word.field(place == Place::a ? 24 : place == Place::b ? 32 : 64);
  return &it.file == &it.warp.uniform || is_uniform(it, place) ? number & 63 : number;
}

/// The bits, without what negates them; of a pair of registers the low or the high one.
inline Lanes bits_of(const Context& it, Place place, bool high = false) {
  if (is_immediate(it, place))
    return splat(high ? 0 : static_cast<std::uint32_t>(it.word.bits(32, 32)));
  if (is_constant(it, place)) {
    if (it.word.bit(91)) throw Unsupported{"constants by a handle"};
    return splat(constant(it.warp, it.word.field(54, 5), it.word.field(38, 16) + (high ? 4 : 0)));
  }
  const unsigned number = register_at(it, place);
  if (is_uniform(it, place)) {
    const Registers& uniform = it.warp.uniform;
    return splat(number == uniform.zero ? 0 : uniform[number + high][0]);
  }
  return number == it.file.zero ? it.file[number] : it.file[number + high];
}

inline WideLanes wide_bits_of(const Context& it, Place place) {
  const Lanes low = bits_of(it, place), high = bits_of(it, place, true);
  WideLanes all;
  for (unsigned i = 0; i < 32; ++i) all[i] = low[i] | std::uint64_t{high[i]} << 32;
  return all;
}

inline bool is_negative(const Context& it, Place place) {
  if (is_immediate(it, place)) return false;
  return it.word.bit(place == Place::a ? 72 : place == Place::b ? 63 : 75);
}
inline bool is_absolute(const Context& it, Place place) {
  if (is_immediate(it, place)) return false;
  return it.word.bit(place == Place::a ? 73 : place == Place::b ? 62 : 74);
}

inline Lanes float_bits_of(const Context& it, Place place) {
  Lanes bits = bits_of(it, place);
  const std::uint32_t keep = is_absolute(it, place) ? 0x7fffffff : ~0u;
  const std::uint32_t flip = is_negative(it, place) ? 0x80000000 : 0;
  for (std::uint32_t& one : bits) one = (one & keep) ^ flip;
  return bits;
}

/// Of lanes, or the lanes in which it holds.
template <class F>
Lanes each(F f) {
  Lanes all;
  for (unsigned i = 0; i < 32; ++i) all[i] = static_cast<std::uint32_t>(f(i));
  return all;
}

template <class F>
unsigned lanes_where(F f) {
  unsigned lanes = 0;
  for (unsigned i = 0; i < 32; ++i) lanes |= static_cast<unsigned>(f(i)) << i;
  return lanes;
}

inline void set(const Context& it, const Lanes& values) {
  it.file.set(it.to(), values, it.lanes);
}
inline void set_predicate(const Context& it, unsigned first, unsigned values) {
  it.file.set_predicate(it.word.field(first, 3), values, it.lanes);
}

inline std::int32_t as_signed(std::uint32_t value) {
  return static_cast<std::int32_t>(value);
}

using Floats = std::array<float, 32>;
using Doubles = std::array<double, 32>;

inline Floats floats_of(const Context& it, Place place) {
  return std::bit_cast<Floats>(float_bits_of(it, place));
}
inline void set_floats(const Context& it, const Floats& values) {
  it.file.set(it.to(), std::bit_cast<Lanes>(values), it.lanes);
}

inline Doubles doubles_of(const Context& it, Place place) {
  WideLanes bits;
  if (is_immediate(it, place)) {
    bits.fill(it.word.bits(32, 32) << 32);
  } else {
    bits = wide_bits_of(it, place);
  }
  const std::uint64_t sign = std::uint64_t{1} << 63;
  for (std::uint64_t& one : bits) {
    if (is_absolute(it, place)) one &= ~sign;
    if (is_negative(it, place)) one ^= sign;
  }
  return std::bit_cast<Doubles>(bits);
}
inline void set_doubles(const Context& it, const Doubles& values) {
  it.file.set_wide(it.to(), std::bit_cast<WideLanes>(values), it.lanes);
}

/// A predicate among the sources: 3 bits and the one that negates it.
inline unsigned predicate_at(const Context& it, unsigned first, unsigned negation) {
  return it.file.predicate(it.word.field(first, 3), it.word.bit(negation));
}

}  // namespace kata::emulator::machine
