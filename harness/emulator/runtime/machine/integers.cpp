// Arithmetic of integers.
#include <algorithm>
#include <bit>

#include "emulator/runtime/machine/launch.h"
#include "emulator/runtime/machine/sources.h"

namespace kata::emulator::machine {
namespace {

void move(const Context& it) {
  set(it, bits_of(it, Place::b));
}

/// A sum of three. `.X` takes carries in, and then a minus means the complement.
void add_three(const Context& it) {
  Lanes operands[3] = {bits_of(it, Place::a), bits_of(it, second(it)), bits_of(it, third(it))};
  const Place places[3] = {Place::a, second(it), third(it)};
  const bool extends = it.word.bit(74);
  unsigned ones = 0;
  for (unsigned i = 0; i < 3; ++i) {
    if (!is_negative(it, places[i])) continue;
    for (std::uint32_t& one : operands[i]) one = ~one;
    ones += !extends;
  }
  const unsigned carry = extends ? predicate_at(it, 87, 90) : 0;
  const unsigned other = extends ? predicate_at(it, 77, 80) : 0;
  unsigned over = 0, twice = 0;
  Lanes sums;
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint64_t sum = std::uint64_t{operands[0][i]} + operands[1][i] + operands[2][i] +
                              ones + (carry >> i & 1) + (other >> i & 1);
    sums[i] = static_cast<std::uint32_t>(sum);
    over |= static_cast<unsigned>(sum >> 32 >= 1) << i;
    twice |= static_cast<unsigned>(sum >> 32 >= 2) << i;
  }
  set(it, sums);
  set_predicate(it, 81, over);
  set_predicate(it, 84, twice);
}

void add_two(const Context& it) {
  const Lanes a = bits_of(it, Place::a), b = bits_of(it, second(it));
  const bool minus_a = is_negative(it, Place::a), minus_b = is_negative(it, second(it));
  set(it, each([&](unsigned i) { return (minus_a ? -a[i] : a[i]) + (minus_b ? -b[i] : b[i]); }));
}

void multiply_add(const Context& it) {
  const Lanes a = bits_of(it, Place::a), b = bits_of(it, second(it));
  Lanes c = bits_of(it, third(it));
  const bool extends = it.word.bit(74);
  if (is_negative(it, third(it)))
    for (std::uint32_t& one : c) one = extends ? ~one : -one;
  const unsigned carry = extends ? predicate_at(it, 87, 90) : 0;
  Lanes sums;
  for (unsigned i = 0; i < 32; ++i) sums[i] = a[i] * b[i] + c[i] + (carry >> i & 1);
  set(it, sums);
}

__extension__ using Widest = unsigned __int128;

std::uint64_t product(std::uint32_t a, std::uint32_t b, bool is_signed) {
  return is_signed ? static_cast<std::uint64_t>(std::int64_t{as_signed(a)} * as_signed(b))
                   : std::uint64_t{a} * b;
}

/// The 64 bits of the sum, or the high half.
void multiply_add_wide(const Context& it, bool high) {
  const Lanes a = bits_of(it, Place::a), b = bits_of(it, second(it));
  WideLanes c{};
  if (is_immediate(it, third(it))) {
    c.fill(it.word.bits(32, 32));
  } else {
    c = wide_bits_of(it, third(it));
  }
  const bool is_signed = it.word.bit(73), extends = it.word.bit(74);
  const unsigned carry = extends ? predicate_at(it, 87, 90) : 0;
  if (is_negative(it, third(it)))
    for (std::uint64_t& one : c) one = extends ? ~one : -one;
  WideLanes sums;
  unsigned over = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const Widest sum = Widest{product(a[i], b[i], is_signed)} + c[i] + (carry >> i & 1);
    sums[i] = static_cast<std::uint64_t>(sum);
    over |= static_cast<unsigned>(sum >> 64 != 0) << i;
  }
  if (high) {
    set(it, each([&](unsigned i) { return sums[i] >> 32; }));
  } else {
    it.file.set_wide(it.to(), sums, it.lanes);
  }
  set_predicate(it, 81, over);
}

void multiply_wide(const Context& it) {
  multiply_add_wide(it, false);
}

void multiply_high(const Context& it) {
  multiply_add_wide(it, true);
}

/// a << n, or the high half of (c, a) << n, plus b.
void shift_and_add(const Context& it) {
  const Lanes a = bits_of(it, Place::a), b = bits_of(it, second(it)), c = bits_of(it, third(it));
  const unsigned shift = it.word.field(75, 5);
  const bool high = it.word.bit(80), extends = it.word.bit(74), sign = it.word.bit(73);
  const bool minus = it.word.bit(72), minus_b = is_negative(it, second(it));
  const unsigned carry = extends ? predicate_at(it, 87, 90) : 0;
  unsigned over = 0;
  Lanes sums;
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint32_t above = sign ? static_cast<std::uint32_t>(as_signed(a[i]) >> 31) : c[i];
    const std::uint64_t pair = (a[i] | std::uint64_t{above} << 32) << shift;
    auto shifted = static_cast<std::uint32_t>(high ? pair >> 32 : pair);
    if (minus) shifted = ~shifted;
    const std::uint32_t other = minus_b ? ~b[i] : b[i];
    const std::uint64_t sum =
        std::uint64_t{shifted} + other + (extends ? carry >> i & 1 : unsigned{minus} + minus_b);
    sums[i] = static_cast<std::uint32_t>(sum);
    over |= static_cast<unsigned>(sum >> 32 != 0) << i;
  }
  set(it, sums);
  set_predicate(it, 81, over);
}

void select(const Context& it) {
  const Lanes a = bits_of(it, Place::a), b = bits_of(it, second(it));
  const unsigned chosen = predicate_at(it, 87, 90);
  set(it, each([&](unsigned i) { return chosen >> i & 1 ? a[i] : b[i]; }));
}

unsigned combined(unsigned found, unsigned how, unsigned before) {
  return how == 0 ? found & before : how == 1 ? found | before : found ^ before;
}

/// With `.EX` the high halves of 64 bits: the low ones' result decides where they are equal.
void compare(const Context& it) {
  const Lanes a = bits_of(it, Place::a), b = bits_of(it, second(it));
  const bool extends = it.word.bit(72), is_signed = it.word.bit(73);
  const unsigned test = it.word.field(76, 3);
  const unsigned low = extends ? predicate_at(it, 68, 71) : 0;
  const unsigned found = lanes_where([&](unsigned i) {
    const bool equal = a[i] == b[i];
    const bool less = is_signed ? as_signed(a[i]) < as_signed(b[i]) : a[i] < b[i];
    if (extends && equal) {
      if (test == 0 || test == 7) return test == 7;
      return (low >> i & 1) != 0;
    }
    return ((test & 1) && less) || ((test & 2) && equal) || ((test & 4) && !less && !equal);
  });
  const unsigned before = predicate_at(it, 87, 90), how = it.word.field(74, 2);
  set_predicate(it, 81, combined(found, how, before));
  set_predicate(it, 84, combined(~found, how, before));
}

void smaller_or_larger(const Context& it) {
  const Lanes a = bits_of(it, Place::a), b = bits_of(it, second(it));
  const unsigned smaller = predicate_at(it, 87, 90);
  const bool is_signed = it.word.bit(73);
  set(it, each([&](unsigned i) {
        const bool less = is_signed ? as_signed(a[i]) < as_signed(b[i]) : a[i] < b[i];
        return less == ((smaller >> i & 1) != 0) ? a[i] : b[i];
      }));
}

/// VIMNMX and VIADDMNMX name their sign elsewhere than IMNMX; `.X3` has a third operand.
template <class Combine>
void vector_extreme(const Context& it, Combine combine) {
  const Lanes a = bits_of(it, Place::a), b = bits_of(it, second(it)), c = bits_of(it, third(it));
  const unsigned smaller = predicate_at(it, 87, 90);
  const bool is_signed = it.word.bit(72), minus_b = is_negative(it, second(it));
  const auto extreme = [&](unsigned i, std::uint32_t x, std::uint32_t y) {
    const bool less = is_signed ? as_signed(x) < as_signed(y) : x < y;
    return less == ((smaller >> i & 1) != 0) ? x : y;
  };
  set(it,
      each([&](unsigned i) { return combine(i, a[i], minus_b ? -b[i] : b[i], c[i], extreme); }));
}

void extreme_of_two(const Context& it) {
  vector_extreme(it, [](unsigned i, auto a, auto b, auto, auto& of) { return of(i, a, b); });
}

void extreme_of_three(const Context& it) {
  vector_extreme(
      it, [](unsigned i, auto a, auto b, auto c, auto& of) { return of(i, of(i, a, b), c); });
}

void extreme_of_sum(const Context& it) {
  vector_extreme(it, [](unsigned i, auto a, auto b, auto c, auto& of) { return of(i, a + b, c); });
}

void absolute(const Context& it) {
  const Lanes b = bits_of(it, second(it));
  set(it, each([&](unsigned i) { return as_signed(b[i]) < 0 ? -b[i] : b[i]; }));
}

/// Four products of bytes.
void dot_product(const Context& it) {
  const Lanes a = bits_of(it, Place::a), b = bits_of(it, second(it)), c = bits_of(it, third(it));
  const bool a_signed = it.word.bit(73), b_signed = it.word.bit(74);
  const auto byte = [](std::uint32_t word, unsigned place, bool is_signed) {
    const auto value = static_cast<std::uint8_t>(word >> 8 * place);
    return is_signed ? std::int32_t{static_cast<std::int8_t>(value)} : std::int32_t{value};
  };
  set(it, each([&](unsigned i) {
        std::uint32_t sum = c[i];
        for (unsigned k = 0; k < 4; ++k)
          sum += static_cast<std::uint32_t>(byte(a[i], k, a_signed) * byte(b[i], k, b_signed));
        return sum;
      }));
}

}  // namespace

const Table& integer_operations() {
  static const Table table{{0x02, move},          {0x07, select},
                           {0x0c, compare},       {0x0f, extreme_of_three},
                           {0x10, add_three},     {0x11, shift_and_add},
                           {0x13, absolute},      {0x17, smaller_or_larger},
                           {0x24, multiply_add},  {0x25, multiply_wide},
                           {0x26, dot_product},   {0x27, multiply_high},
                           {0x36, add_two},       {0x46, extreme_of_sum},
                           {0x48, extreme_of_two}};
  return table;
}

}  // namespace kata::emulator::machine
