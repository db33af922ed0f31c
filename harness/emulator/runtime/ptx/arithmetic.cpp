// PTX arithmetic. The approximate functions (ex2.approx, ...) are off as on the device.

#include <algorithm>

#include "emulator/include/kata_emulator/approximate.h"
#include "emulator/runtime/ptx/values.h"

namespace kata::emulator::ptx {
namespace {

/// Twice as wide as T: what a product needs.
template <class T>
using Wide =
    std::conditional_t<sizeof(T) == 4,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>;

__extension__ typedef __int128 Wide64;
__extension__ typedef unsigned __int128 UnsignedWide64;

template <class T>
T upper_half(T a, T b) {
  using Product = std::conditional_t<std::is_signed_v<T>, Wide64, UnsignedWide64>;
  return static_cast<T>(static_cast<Product>(a) * static_cast<Product>(b) >> 8 * sizeof(T));
}

/// mul, and mad with a third source.
template <bool adds>
void multiply(Context& c, const Instruction& i) {
  with_integer(c, i, [&](auto type) {
    using T = decltype(type);
    const T a = c.get<T>(i, 1), b = c.get<T>(i, 2);
    if (i.has("wide")) {
      if constexpr (sizeof(T) <= 4) {
        auto product = static_cast<std::uint64_t>(static_cast<Wide<T>>(a)) *
                       static_cast<std::uint64_t>(static_cast<Wide<T>>(b));
        if (adds) product += static_cast<std::uint64_t>(c.get<Wide<T>>(i, 3));
        return c.set(i, static_cast<Wide<T>>(product));
      }
      c.unsupported(i);
    }
    auto result = static_cast<std::uint64_t>(
        i.has("hi")
            ? upper_half(a, b)
            : static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b)));
    if (adds) result += static_cast<std::uint64_t>(c.get<T>(i, 3));
    c.set(i, static_cast<T>(result));
  });
}

template <class T>
T larger(T a, T b) {
  return a != a || a < b ? b : a;
}
template <class T>
T smaller(T a, T b) {
  return a != a || b < a ? b : a;
}
template <class T>
bool is_nan(T a, T b) {
  return a != a || b != b;
}

template <class F>
void unary_float(Context& c, const Instruction& i, const F& f) {
  if (!apply_to_floats<1>(c, i, f)) c.unsupported(i);
}

}  // namespace

void add(Context& c, const Instruction& i) {
  if (!apply_to_floats<2>(c, i, [](auto a, auto b) { return a + b; }))
    apply_wrapping(c, i, [](auto a, auto b) { return a + b; });
}

void sub(Context& c, const Instruction& i) {
  if (!apply_to_floats<2>(c, i, [](auto a, auto b) { return a - b; }))
    apply_wrapping(c, i, [](auto a, auto b) { return a - b; });
}

void mul(Context& c, const Instruction& i) {
  if (!apply_to_floats<2>(c, i, [](auto a, auto b) { return a * b; })) multiply<false>(c, i);
}

void mad(Context& c, const Instruction& i) {
  if (is_float(i.type())) return fma(c, i);
  multiply<true>(c, i);
}

void fma(Context& c, const Instruction& i) {
  apply_to_floats<3>(c, i, [&](auto a, auto b, auto d) {
    // Of f16 and bf16 in double, where a product and a sum are exact.
    if (i.type() == Type::f32 || i.type() == Type::f64) return std::fma(a, b, d);
    return static_cast<decltype(a)>(std::fma(double{a}, double{b}, double{d}));
  });
}

void div(Context& c, const Instruction& i) {
  const auto quotient = [&](auto a, auto b) {
    if constexpr (std::is_same_v<decltype(a), float>)
      return i.has("rn") ? a / b : __kata::approximate_quotient(a, b);
    else
      return a / b;
  };
  if (apply_to_floats<2>(c, i, quotient)) return;
  apply_to_integers(c, i, [](auto a, auto b) {
    using T = decltype(a);
    if (b == 0) return static_cast<T>(-1);  // unspecified on a device, which does not trap
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - std::uint64_t(a));
    return static_cast<T>(a / b);
  });
}

void rem(Context& c, const Instruction& i) {
  apply_to_integers(c, i, [](auto a, auto b) {
    using T = decltype(a);
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return T{0};
    return static_cast<T>(a % b);
  });
}

void min(Context& c, const Instruction& i) {
  const auto f = [&](auto a, auto b) {
    if (i.has("NaN") && is_nan(a, b)) return a + b;
    return smaller(a, b);
  };
  if (!apply_to_floats<2>(c, i, f))
    apply_to_integers(c, i, [](auto a, auto b) { return std::min(a, b); });
}

void max(Context& c, const Instruction& i) {
  const auto f = [&](auto a, auto b) {
    if (i.has("NaN") && is_nan(a, b)) return a + b;
    return larger(a, b);
  };
  if (!apply_to_floats<2>(c, i, f))
    apply_to_integers(c, i, [](auto a, auto b) { return std::max(a, b); });
}

void abs(Context& c, const Instruction& i) {
  if (apply_to_floats<1>(c, i, [](auto a) { return std::fabs(a); })) return;
  with_integer(c, i, [&](auto type) {
    using T = decltype(type);
    const T a = c.get<T>(i, 1);
    c.set(i, static_cast<T>(a < T{0} ? 0 - static_cast<std::uint64_t>(a) : a));
  });
}

void neg(Context& c, const Instruction& i) {
  if (apply_to_floats<1>(c, i, [](auto a) { return -a; })) return;
  with_integer(c, i, [&](auto type) {
    using T = decltype(type);
    c.set(i, static_cast<T>(0 - static_cast<std::uint64_t>(c.get<T>(i, 1))));
  });
}

/// `exact` for doubles and for what is rounded to half or bfloat16 anyway, or where the instruction
/// says rn; else `approximate`.
template <class Exact, class Approximate>
void function_of_one(Context& c, const Instruction& i, Exact exact, Approximate approximate) {
  unary_float(c, i, [&](auto a) {
    if constexpr (std::is_same_v<decltype(a), float>)
      return i.has("rn") ? exact(a) : approximate(a);
    else
      return exact(a);
  });
}

void ex2(Context& c, const Instruction& i) {
  function_of_one(
      c, i, [](auto a) { return std::exp2(a); }, __kata::approximate_ex2);
}
void lg2(Context& c, const Instruction& i) {
  function_of_one(
      c, i, [](auto a) { return std::log2(a); }, __kata::approximate_lg2);
}
void rcp(Context& c, const Instruction& i) {
  function_of_one(
      c, i, [](auto a) { return 1 / a; }, __kata::approximate_rcp);
}
void sqrt(Context& c, const Instruction& i) {
  function_of_one(
      c, i, [](auto a) { return std::sqrt(a); }, __kata::approximate_sqrt);
}
void rsqrt(Context& c, const Instruction& i) {
  function_of_one(
      c, i, [](auto a) { return 1 / std::sqrt(a); }, __kata::approximate_rsqrt);
}
void sin(Context& c, const Instruction& i) {
  function_of_one(
      c, i, [](auto a) { return std::sin(a); }, __kata::approximate_sin);
}
void cos(Context& c, const Instruction& i) {
  function_of_one(
      c, i, [](auto a) { return std::cos(a); }, __kata::approximate_cos);
}
void tanh(Context& c, const Instruction& i) {
  function_of_one(
      c, i, [](auto a) { return std::tanh(a); }, __kata::approximate_tanh);
}

}  // namespace kata::emulator::ptx
