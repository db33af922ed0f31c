// PTX moves, comparisons, logic and bit fields.

#include <bit>

#include "emulator/runtime/ptx/values.h"

namespace kata::emulator::ptx {
namespace {

template <class T>
bool compare(const Instruction& i, T a, T b) {
  bool unordered = false;
  if constexpr (std::is_floating_point_v<T>) unordered = a != a || b != b;
  const auto is = [&](Modifier ordered, Modifier also) { return i.has(ordered) || i.has(also); };
  if (i.has("num")) return !unordered;
  if (i.has("nan")) return unordered;
  if (unordered)
    return i.has("equ") || i.has("neu") || i.has("ltu") || i.has("leu") || i.has("gtu") ||
           i.has("geu");
  if (is("eq", "equ")) return a == b;
  if (is("ne", "neu")) return a != b;
  if (is("lt", "ltu") || i.has("lo")) return a < b;
  if (is("le", "leu") || i.has("ls")) return a <= b;
  if (is("gt", "gtu") || i.has("hi")) return a > b;
  return a >= b;
}

bool compare_sources(Context& c, const Instruction& i) {
  const Type type = i.type();
  if (type == Type::f32) return compare(i, c.get<float>(i, 1), c.get<float>(i, 2));
  if (type == Type::f64) return compare(i, c.get<double>(i, 1), c.get<double>(i, 2));
  if (is_float(type)) {
    return compare(i, float_from_narrow(c.get<std::uint16_t>(i, 1), type),
                   float_from_narrow(c.get<std::uint16_t>(i, 2), type));
  }
  bool result = false;
  with_integer(c, i, [&](auto kind) {
    using T = decltype(kind);
    result = compare(i, c.get<T>(i, 1), c.get<T>(i, 2));
  });
  return result;
}

/// A logical operation: of predicates, 0 and 1 stay so.
template <class F>
void logical(Context& c, const Instruction& i, const F& f) {
  with_integer(c, i, [&](auto type) {
    using T = decltype(type);
    T result = static_cast<T>(f(c.get<T>(i, 1), c.get<T>(i, i.operands.size() > 2 ? 2 : 1)));
    if (i.type() == Type::pred) result &= 1;
    c.set(i, result);
  });
}

template <class F>
void bits_of_word(Context& c, const Instruction& i, const F& f) {
  if (bytes_of(i.type()) == 8) {
    c.set(i, static_cast<std::uint32_t>(f(c.get<std::uint64_t>(i, 1))));
  } else {
    c.set(i, static_cast<std::uint32_t>(f(c.get<std::uint32_t>(i, 1))));
  }
}

}  // namespace

void mov(Context& c, const Instruction& i) {
  const Operand &to = i.operands[0], &from = i.operands[1];
  std::uint64_t value = 0;
  if (from.elements.empty()) {
    value = c.bits(from.value);
  } else {
    const auto width = 8 * bytes_of(i.type()) / from.elements.size();
    for (std::size_t k = 0; k < from.elements.size(); ++k)
      value |= (c.bits(from.elements[k]) & ((std::uint64_t{1} << width) - 1)) << width * k;
  }
  if (bytes_of(i.type()) < 8) value &= (std::uint64_t{1} << 8 * bytes_of(i.type())) - 1;
  if (to.elements.empty()) return c.set_bits(to.value, value);
  const auto width = 8 * bytes_of(i.type()) / to.elements.size();
  for (std::size_t k = 0; k < to.elements.size(); ++k)
    c.set_bits(to.elements[k], value >> width * k & ((std::uint64_t{1} << width) - 1));
}

void setp(Context& c, const Instruction& i) {
  const bool result = compare_sources(c, i);
  const auto combined = [&](bool value) {
    if (i.operands.size() < 4) return value;
    const bool other = c.bits(i.operands[3].value) != 0;
    return i.has("and") ? value && other : i.has("or") ? value || other : value != other;
  };
  c.set_bits(i.operands[0].value, combined(result));
  c.set_bits(i.operands[0].second, combined(!result));
}

void selp(Context& c, const Instruction& i) {
  c.set_bits(i.operands[0].value, c.bits(i.operands[c.bits(i.operands[3].value) ? 1 : 2].value));
}

void and_(Context& c, const Instruction& i) {
  logical(c, i, [](auto a, auto b) { return a & b; });
}
void or_(Context& c, const Instruction& i) {
  logical(c, i, [](auto a, auto b) { return a | b; });
}
void xor_(Context& c, const Instruction& i) {
  logical(c, i, [](auto a, auto b) { return a ^ b; });
}
void not_(Context& c, const Instruction& i) {
  logical(c, i, [](auto a, auto) { return ~a; });
}

void shl(Context& c, const Instruction& i) {
  const auto by = c.get<std::uint32_t>(i, 2);
  with_integer(c, i, [&](auto type) {
    using T = decltype(type);
    c.set(i, by >= 8 * sizeof(T)
                 ? T{0}
                 : static_cast<T>(static_cast<std::uint64_t>(c.get<T>(i, 1)) << by));
  });
}

void shr(Context& c, const Instruction& i) {
  const auto by = c.get<std::uint32_t>(i, 2);
  with_integer(c, i, [&](auto type) {
    using T = decltype(type);
    const T a = c.get<T>(i, 1);
    c.set(i, by < 8 * sizeof(T) ? static_cast<T>(a >> by) : static_cast<T>(a < T{0} ? -1 : 0));
  });
}

void shf(Context& c, const Instruction& i) {
  const auto both =
      static_cast<std::uint64_t>(c.get<std::uint32_t>(i, 2)) << 32 | c.get<std::uint32_t>(i, 1);
  std::uint32_t by = c.get<std::uint32_t>(i, 3);
  by = i.has("wrap") ? by & 31 : by < 32 ? by : 32;
  c.set(i, static_cast<std::uint32_t>(i.has("l") ? both << by >> 32 : both >> by));
}

void popc(Context& c, const Instruction& i) {
  bits_of_word(c, i, [](auto a) { return std::popcount(a); });
}
void clz(Context& c, const Instruction& i) {
  bits_of_word(c, i, [](auto a) { return std::countl_zero(a); });
}

void brev(Context& c, const Instruction& i) {
  const unsigned width = 8 * bytes_of(i.type());
  std::uint64_t result = 0;
  for (unsigned k = 0; k < width; ++k)
    result |= (c.bits(i.operands[1].value) >> k & 1) << (width - 1 - k);
  c.set_bits(i.operands[0].value, result);
}

void bfind(Context& c, const Instruction& i) {
  const unsigned width = 8 * bytes_of(i.type());
  std::uint64_t a = c.bits(i.operands[1].value);
  if (is_signed(i.type()) && (a >> (width - 1) & 1)) a = ~a;
  if (width == 32) a &= 0xffffffff;
  const unsigned place = 63 - static_cast<unsigned>(std::countl_zero(a));
  c.set(i, a == 0 ? ~0u : i.has("shiftamt") ? width - 1 - place : place);
}

void bfe(Context& c, const Instruction& i) {
  const unsigned width = 8 * bytes_of(i.type());
  const unsigned from = c.get<std::uint8_t>(i, 2), count = c.get<std::uint8_t>(i, 3);
  const std::uint64_t a = c.bits(i.operands[1].value);
  const auto bit = [&](unsigned k) { return k < width ? a >> k & 1 : 0; };
  const unsigned last = count == 0 ? 0 : from + count - 1;
  const std::uint64_t sign =
      is_signed(i.type()) && count > 0 ? bit(last < width ? last : width - 1) : 0;
  std::uint64_t result = 0;
  for (unsigned k = 0; k < width; ++k)
    result |= (k < count && from + k < width ? bit(from + k) : sign) << k;
  c.set_bits(i.operands[0].value, result);
}

void bfi(Context& c, const Instruction& i) {
  const unsigned width = 8 * bytes_of(i.type());
  const unsigned to = c.get<std::uint8_t>(i, 3), count = c.get<std::uint8_t>(i, 4);
  const std::uint64_t a = c.bits(i.operands[1].value);
  std::uint64_t result = c.bits(i.operands[2].value);
  for (unsigned k = 0; k < count && to + k < width; ++k) {
    result &= ~(std::uint64_t{1} << (to + k));
    result |= (a >> k & 1) << (to + k);
  }
  c.set_bits(i.operands[0].value, result);
}

void prmt(Context& c, const Instruction& i) {
  const auto both =
      static_cast<std::uint64_t>(c.get<std::uint32_t>(i, 2)) << 32 | c.get<std::uint32_t>(i, 1);
  const auto selector = c.get<std::uint32_t>(i, 3);
  std::uint32_t result = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned choice = selector >> 4 * k & 15;
    std::uint32_t byte = both >> 8 * (choice & 7) & 0xff;
    if (choice & 8) byte = byte & 0x80 ? 0xff : 0;  // its sign, repeated
    result |= byte << 8 * k;
  }
  c.set(i, result);
}

void lop3(Context& c, const Instruction& i) {
  const auto table = c.get<std::uint8_t>(i, 4);
  std::uint32_t result = 0;
  for (unsigned k = 0; k < 32; ++k) {
    const auto bit = [&](unsigned source) { return c.get<std::uint32_t>(i, source) >> k & 1; };
    result |= (static_cast<std::uint32_t>(table) >> (bit(1) << 2 | bit(2) << 1 | bit(3)) & 1) << k;
  }
  c.set(i, result);
}

namespace {

std::int32_t byte(std::uint32_t word, unsigned k, Type type) {
  const auto bits = static_cast<std::uint8_t>(word >> 8 * k);
  return type == Type::s32 ? static_cast<std::int8_t>(bits) : std::int32_t{bits};
}

}  // namespace

void dp4a(Context& c, const Instruction& i) {
  const auto a = c.get<std::uint32_t>(i, 1), b = c.get<std::uint32_t>(i, 2);
  std::uint32_t sum = c.get<std::uint32_t>(i, 3);
  for (unsigned k = 0; k < 4; ++k)
    sum += static_cast<std::uint32_t>(byte(a, k, i.types.front()) * byte(b, k, i.types.back()));
  c.set(i, sum);
}

/// .dtype.atype.btype: the differences as bytes, or with .add their sum.
void vabsdiff4(Context& c, const Instruction& i) {
  if (i.types.size() != 3) c.unsupported(i);
  const auto a = c.get<std::uint32_t>(i, 1), b = c.get<std::uint32_t>(i, 2);
  std::uint32_t sum = c.get<std::uint32_t>(i, 3), bytes = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const std::int32_t x = byte(a, k, i.types[1]), y = byte(b, k, i.types[2]);
    const auto difference = static_cast<std::uint32_t>(x > y ? x - y : y - x);
    sum += difference;
    bytes |= (difference & 0xff) << 8 * k;
  }
  c.set(i, i.has("add") ? sum : bytes);
}

}  // namespace kata::emulator::ptx
