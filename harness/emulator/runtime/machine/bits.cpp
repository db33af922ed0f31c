// Bits, and predicates as bits.
#include <algorithm>
#include <bit>

#include "emulator/runtime/machine/launch.h"
#include "emulator/runtime/machine/sources.h"

namespace kata::emulator::machine {
namespace {

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

const Table& bit_operations() {
  static const Table table{
      {0x03, pack_predicates}, {0x04, unpack_predicates},   {0x12, logic_three},
      {0x16, permute},         {0x19, funnel_shift},        {0x1a, extend_sign},
      {0x1b, bit_mask},        {0x1c, logic_of_predicates}, {0x100, find_leading_one},
      {0x101, reverse_bits},   {0x109, count_bits}};
  return table;
}

}  // namespace kata::emulator::machine
