// Arithmetic of integers, bits and predicates.
#include <algorithm>
#include <bit>

#include "emulator/runtime/machine/launch.h"
#include "emulator/runtime/machine/sources.h"

namespace kata::emulator::machine {
namespace {

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

void set(const Context& it, const Lanes& values) {
  it.file.set(it.to(), values, it.lanes);
}
void set_predicate(const Context& it, unsigned first, unsigned values) {
  it.file.set_predicate(it.word.field(first, 3), values, it.lanes);
}

std::int32_t as_signed(std::uint32_t value) {
  return static_cast<std::int32_t>(value);
}

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

std::uint32_t logic(std::uint32_t a, std::uint32_t b, std::uint32_t c, unsigned table) {
  std::uint32_t result = 0;
  for (unsigned row = 0; row < 8; ++row) {
    if (table >> row & 1) result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  }
  return result;
}

void logic_three(const Context& it) {
  const Lanes a = bits_of(it, Place::a), b = bits_of(it, second(it)), c = bits_of(it, third(it));
  const unsigned table = it.word.field(72);
  const Lanes result = each([&](unsigned i) { return logic(a[i], b[i], c[i], table); });
  set(it, result);
  const unsigned found = lanes_where([&](unsigned i) { return result[i] != 0; });
  const unsigned before = predicate_at(it, 87, 90);
  set_predicate(it, 81, it.word.bit(80) ? found & before : found | before);
}

void logic_of_predicates(const Context& it) {
  const unsigned a = predicate_at(it, 87, 90), b = predicate_at(it, 77, 80);
  const bool uniform = it.word.bit(67);
  unsigned c = predicate_at(it, 68, 71);
  if (uniform) {
    const unsigned one = it.warp.uniform.predicate(it.word.field(68, 3), it.word.bit(71)) & 1;
    c = one ? all_lanes : 0;
  }
  set_predicate(it, 81, logic(a, b, c, it.word.field(64, 3) | it.word.field(72, 5) << 3));
  set_predicate(it, 84, logic(a, b, c, it.word.field(16)));
}

void funnel_shift(const Context& it) {
  const Lanes low = bits_of(it, Place::a), by = bits_of(it, second(it)),
              high = bits_of(it, third(it));
  const unsigned type = it.word.field(73, 2);
  const bool wide = type < 2, is_signed = type % 2 == 0, wraps = it.word.bit(75);
  const bool right = it.word.bit(76), takes_high = it.word.bit(80);
  const unsigned most = wide ? 63 : 32;
  set(it, each([&](unsigned i) {
        const std::uint32_t shift = wraps ? by[i] & (wide ? 63u : 31u) : std::min(by[i], most);
        const std::uint64_t pair = low[i] | std::uint64_t{high[i]} << 32;
        std::uint64_t result = pair << shift;
        if (right && is_signed)
          result = static_cast<std::uint64_t>(static_cast<std::int64_t>(pair) >> shift);
        else if (right)
          result = !wraps && wide && by[i] > 63 ? 0 : pair >> shift;
        else if (!wraps && wide && by[i] > 63)
          result = 0;
        return takes_high ? result >> 32 : result;
      }));
}

void permute(const Context& it) {
  const Lanes a = bits_of(it, Place::a), by = bits_of(it, second(it)), c = bits_of(it, third(it));
  if (it.word.field(72, 3) != 0) throw Unsupported{"PRMT with a mode"};
  set(it, each([&](unsigned i) {
        const std::uint64_t bytes = a[i] | std::uint64_t{c[i]} << 32;
        std::uint32_t result = 0;
        for (unsigned byte = 0; byte < 4; ++byte) {
          const unsigned chosen = by[i] >> 4 * byte & 15;
          auto value = static_cast<std::uint8_t>(bytes >> 8 * (chosen & 7));
          if (chosen & 8) value = value & 0x80 ? 0xff : 0;
          result |= std::uint32_t{value} << 8 * byte;
        }
        return result;
      }));
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

void bit_mask(const Context& it) {
  const Lanes a = bits_of(it, Place::a), b = bits_of(it, second(it));
  const bool wraps = it.word.bit(75);
  set(it, each([&](unsigned i) {
        const unsigned from = wraps ? a[i] & 31 : a[i], count = wraps ? b[i] & 31 : b[i];
        const std::uint64_t ones = (std::uint64_t{1} << std::min(count, 32u)) - 1;
        return from > 31 ? 0 : ones << from;
      }));
}

void extend_sign(const Context& it) {
  const Lanes a = bits_of(it, Place::a), b = bits_of(it, second(it));
  const bool wraps = it.word.bit(75), is_signed = it.word.bit(73);
  set(it, each([&](unsigned i) -> std::uint32_t {
        const unsigned count = wraps ? b[i] & 31 : std::min(b[i], 32u);
        if (count == 0) return 0;
        const std::uint32_t high = a[i] << (32 - count);
        return is_signed ? static_cast<std::uint32_t>(as_signed(high) >> (32 - count))
                         : high >> (32 - count);
      }));
}

Lanes complemented(const Context& it) {
  Lanes b = bits_of(it, Place::b);
  if (is_negative(it, Place::b))
    for (std::uint32_t& one : b) one = ~one;
  return b;
}

void find_leading_one(const Context& it) {
  const Lanes b = complemented(it);
  const bool from_top = it.word.bit(74), is_signed = it.word.bit(73);
  const Lanes found = each([&](unsigned i) {
    const std::uint32_t value = is_signed && as_signed(b[i]) < 0 ? ~b[i] : b[i];
    if (value == 0) return ~0u;
    const auto before = static_cast<unsigned>(std::countl_zero(value));
    return from_top ? before : 31 - before;
  });
  set(it, found);
  set_predicate(it, 81, lanes_where([&](unsigned i) { return found[i] != ~0u; }));
}

void reverse_bits(const Context& it) {
  const Lanes b = complemented(it);
  set(it, each([&](unsigned i) {
        std::uint32_t result = 0;
        for (unsigned bit = 0; bit < 32; ++bit) result |= (b[i] >> bit & 1) << (31 - bit);
        return result;
      }));
}

void count_bits(const Context& it) {
  const Lanes b = complemented(it);
  set(it, each([&](unsigned i) { return std::popcount(b[i]); }));
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

/// Predicates as bits of a register.
void pack_predicates(const Context& it) {
  const Lanes a = bits_of(it, Place::a), mask = bits_of(it, second(it));
  const unsigned shift = 8 * it.word.field(76, 2);
  set(it, each([&](unsigned i) {
        std::uint32_t bits = 0;
        for (unsigned k = 0; k < 7; ++k) bits |= (it.file.predicates[k] >> i & 1) << k;
        return (a[i] & ~(mask[i] << shift)) | (bits & mask[i]) << shift;
      }));
}

void unpack_predicates(const Context& it) {
  const Lanes a = bits_of(it, Place::a), mask = bits_of(it, second(it));
  const unsigned shift = 8 * it.word.field(76, 2);
  for (unsigned k = 0; k < 7; ++k) {
    const unsigned values = lanes_where([&](unsigned i) { return (a[i] >> (shift + k) & 1) != 0; });
    const unsigned chosen = lanes_where([&](unsigned i) { return (mask[i] >> k & 1) != 0; });
    it.file.set_predicate(k, values, it.lanes & chosen);
  }
}

}  // namespace

const Table& integer_operations() {
  static const Table table{{0x02, move},
                           {0x03, pack_predicates},
                           {0x04, unpack_predicates},
                           {0x07, select},
                           {0x0c, compare},
                           {0x0f, extreme_of_three},
                           {0x10, add_three},
                           {0x11, shift_and_add},
                           {0x12, logic_three},
                           {0x13, absolute},
                           {0x16, permute},
                           {0x17, smaller_or_larger},
                           {0x19, funnel_shift},
                           {0x1a, extend_sign},
                           {0x1b, bit_mask},
                           {0x1c, logic_of_predicates},
                           {0x24, multiply_add},
                           {0x25, multiply_wide},
                           {0x26, dot_product},
                           {0x27, multiply_high},
                           {0x36, add_two},
                           {0x46, extreme_of_sum},
                           {0x48, extreme_of_two},
                           {0x100, find_leading_one},
                           {0x101, reverse_bits},
                           {0x109, count_bits}};
  return table;
}

}  // namespace kata::emulator::machine
