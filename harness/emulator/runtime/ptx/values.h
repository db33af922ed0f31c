#pragma once
// What the arithmetic handlers share: a function of numbers applied as the instruction's type says.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "emulator/runtime/kernel/narrow_floats.h"
#include "emulator/runtime/ptx/ptx.h"

namespace kata::emulator::ptx {

/// f16 or bf16, by way of float.
inline float float_from_narrow(std::uint16_t value, Type type) {
  return type == Type::bf16 || type == Type::bf16x2 ? float_from_bf16(value)
                                                    : float_from_half(value);
}
inline std::uint16_t narrow_from_float(float value, Type type) {
  return type == Type::bf16 || type == Type::bf16x2 ? bf16_from_float(value)
                                                    : half_from_float(value);
}
inline bool is_pair(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2;
}

template <class T>
T saturated(T value) {
  return value > T(0) ? (value < T(1) ? value : T(1)) : T(0);  // NaN becomes 0
}

/// What .ftz makes of a subnormal number: 0 of the same sign.
inline float flushed(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x;
}

/// d = f(a, b, ...) of floats; f takes what `Compute` names. False: the type is no float's.
template <unsigned sources, class F>
bool apply_to_floats(Context& c, const Instruction& i, const F& f) {
  const Type type = i.type();
  const auto call = [&](auto get) {
    using T = decltype(get(0u));
    T result;
    if constexpr (sources == 1) result = static_cast<T>(f(get(1u)));
    if constexpr (sources == 2) result = static_cast<T>(f(get(1u), get(2u)));
    if constexpr (sources == 3) result = static_cast<T>(f(get(1u), get(2u), get(3u)));
    if (i.has("relu")) result = result > T(0) ? result : T(0);
    return i.has("sat") ? saturated(result) : result;
  };
  switch (type) {
    case Type::f32: {
      const auto kept = [flushes = i.has("ftz")](float x) { return flushes ? flushed(x) : x; };
      c.set(i, kept(call([&](unsigned k) { return kept(c.get<float>(i, k)); })));
      return true;
    }
    case Type::f64:
      c.set(i, call([&](unsigned k) { return c.get<double>(i, k); }));
      return true;
    case Type::f16:
    case Type::bf16:
    case Type::f16x2:
    case Type::bf16x2: {
      std::uint32_t result = 0;
      for (unsigned half = 0; half < (is_pair(type) ? 2u : 1u); ++half) {
        const float value = call([&](unsigned k) {
          const auto bits = c.get<std::uint32_t>(i, k) >> 16 * half;
          return float_from_narrow(static_cast<std::uint16_t>(bits), type);
        });
        result |= static_cast<std::uint32_t>(narrow_from_float(value, type)) << 16 * half;
      }
      c.set(i, result);
      return true;
    }
    default:
      return false;
  }
}

/// Calls f with a value of the integer type that has this name.
template <class F>
void with_integer(Context& c, const Instruction& i, const F& f) {
  switch (i.type()) {
    case Type::u8:
      return f(std::uint8_t{});
    case Type::s8:
      return f(std::int8_t{});
    case Type::b16:
    case Type::u16:
      return f(std::uint16_t{});
    case Type::s16:
      return f(std::int16_t{});
    case Type::pred:
    case Type::b32:
    case Type::u32:
      return f(std::uint32_t{});
    case Type::s32:
      return f(std::int32_t{});
    case Type::b64:
    case Type::u64:
      return f(std::uint64_t{});
    case Type::s64:
      return f(std::int64_t{});
    default:
      c.unsupported(i);
  }
}

/// d = f(a, b) of integers, of their own type.
template <class F>
void apply_to_integers(Context& c, const Instruction& i, const F& f) {
  with_integer(c, i, [&](auto type) {
    using T = decltype(type);
    c.set(i, static_cast<T>(f(c.get<T>(i, 1), c.get<T>(i, 2))));
  });
}

/// The same in 64 bits, of which the low ones are kept: sums and products wrap round.
template <class F>
void apply_wrapping(Context& c, const Instruction& i, const F& f) {
  apply_to_integers(c, i, [&](auto a, auto b) {
    return f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
  });
}

}  // namespace kata::emulator::ptx
