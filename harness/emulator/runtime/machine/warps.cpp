// What lanes of a warp ask of each other, special registers, constants.
#include <bit>

#include "emulator/runtime/machine/launch.h"
#include "emulator/runtime/machine/sources.h"

namespace kata::emulator::machine {
namespace {

void shuffle(const Context& it) {
  const unsigned opcode = it.word.field(0, 12);
  const bool lane_is_constant = opcode == 0x989 || opcode == 0xf89;
  const bool bounds_are_constant = opcode == 0x589 || opcode == 0xf89;
  const Lanes values = it.file[it.word.field(24)];
  const Lanes by = lane_is_constant ? splat(it.word.field(53, 5)) : it.file[it.word.field(32)];
  const Lanes bounds =
      bounds_are_constant ? splat(it.word.field(40, 13)) : it.file[it.word.field(64)];
  Lanes result = values;
  unsigned inside = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned segment = bounds[lane] >> 8 & 31, clamp = bounds[lane] & 31;
    const unsigned last = (lane & segment) | (clamp & ~segment), first = lane & segment;
    const unsigned distance = by[lane] & 31;
    int from = 0;
    bool fits = true;
    switch (it.word.field(58, 2)) {
      case 0:
        from = static_cast<int>(first | (distance & ~segment));
        fits = from <= static_cast<int>(last);
        break;
      case 1:
        from = static_cast<int>(lane) - static_cast<int>(distance);
        fits = from >= static_cast<int>(last);
        break;
      case 2:
        from = static_cast<int>(lane + distance);
        fits = from <= static_cast<int>(last);
        break;
      default:
        from = static_cast<int>(lane ^ distance);
        fits = from <= static_cast<int>(last);
    }
    if (fits) result[lane] = values[static_cast<unsigned>(from) & 31];
    inside |= static_cast<unsigned>(fits) << lane;
  }
  it.file.set_predicate(it.word.field(81, 3), inside, it.lanes);
  it.file.set(it.to(), result, it.lanes);
}

void vote_to(const Context& it, Registers& file, unsigned lanes) {
  const unsigned of = it.warp.registers.predicate(it.word.field(87, 3), it.word.bit(90)) & it.lanes;
  const unsigned how = it.word.field(72, 2);
  const bool result = how == 0 ? of == it.lanes : how == 1 ? of != 0 : of == 0 || of == it.lanes;
  file.set_predicate(it.word.field(81, 3), result ? all_lanes : 0, lanes);
  const unsigned to = it.to();
  file.set(&file == &it.warp.uniform ? to & 63 : to, splat(of), lanes);
}
void vote(const Context& it) {
  vote_to(it, it.warp.registers, it.lanes);
}
void vote_uniform(const Context& it) {
  vote_to(it, it.warp.uniform, all_lanes);
}

void match(const Context& it) {
  const bool wide = it.word.bit(73), any = it.word.bit(79);
  const unsigned number = it.word.field(24);
  const Lanes low = it.file[number];
  const Lanes high = wide ? it.file[number + 1] : Lanes{};
  Lanes result{};
  bool all_equal = true;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(it.lanes >> lane & 1)) continue;
    for (unsigned other = 0; other < 32; ++other) {
      if (!(it.lanes >> other & 1)) continue;
      const bool equal = low[lane] == low[other] && high[lane] == high[other];
      result[lane] |= static_cast<unsigned>(equal) << other;
      all_equal &= equal;
    }
  }
  if (!any) {
    it.file.set_predicate(it.word.field(81, 3), all_equal ? all_lanes : 0, it.lanes);
    result = splat(all_equal ? it.lanes : 0);
  }
  it.file.set(it.to(), result, it.lanes);
}

void reduce(const Context& it) {
  const Lanes& values = it.file[it.word.field(24)];
  const unsigned how = it.word.field(78, 3);
  const bool is_signed = it.word.bit(73);
  std::uint32_t result = 0;
  bool is_first = true;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(it.lanes >> lane & 1)) continue;
    const std::uint32_t value = values[lane];
    const bool less = is_signed
                          ? static_cast<std::int32_t>(value) < static_cast<std::int32_t>(result)
                          : value < result;
    if (is_first)
      result = value;
    else if (how == 0)
      result &= value;
    else if (how == 1)
      result |= value;
    else if (how == 2)
      result ^= value;
    else if (how == 3)
      result += value;
    else if (less == (how == 4))
      result = value;
    is_first = false;
  }
  it.warp.uniform.set(it.to() & 63, splat(result), all_lanes);
}

void to_uniform(const Context& it) {
  if (it.lanes == 0) return;
  const auto first = static_cast<unsigned>(std::countr_zero(it.lanes));
  it.warp.uniform.set(it.to() & 63, splat(it.file[it.word.field(24)][first]), all_lanes);
}

Lanes special_register(const Context& it, unsigned number) {
  const Warp& warp = it.warp;
  const Configuration& configuration = warp.block.launch.configuration;
  Lanes result{};
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned thread = 32 * warp.number + lane;
    const unsigned x = configuration.block[0], y = configuration.block[1];
    switch (number) {
      case 0x00:
        result[lane] = lane;
        break;
      case 0x21:
        result[lane] = thread % x;
        break;
      case 0x22:
        result[lane] = thread / x % y;
        break;
      case 0x23:
        result[lane] = thread / x / y;
        break;
      case 0x25:
      case 0x26:
      case 0x27:
        result[lane] = warp.block.index[number - 0x25];
        break;
      case 0x38:
        result[lane] = 1u << lane;
        break;
      case 0x39:
        result[lane] = (1u << lane) - 1;
        break;
      case 0x3a:
        result[lane] = (2u << lane) - 1;
        break;
      case 0x3b:
        result[lane] = ~((2u << lane) - 1);
        break;
      case 0x3c:
        result[lane] = ~((1u << lane) - 1);
        break;
      case 0x50:
      case 0x51:
        result[lane] = number == 0x50 ? static_cast<std::uint32_t>(warp.block.launch.steps) : 0;
        break;
      case 0x2f:
        result[lane] = shared_window;
        break;
      case 0x88:
        result[lane] = warp.block.rank;
        break;
      case 0xff:
        break;
      default:
        throw Unsupported{"special register " + std::to_string(number)};
    }
  }
  return result;
}

void read_special(const Context& it) {
  it.file.set(it.to(), special_register(it, it.word.field(72)), it.lanes);
}
void read_special_uniform(const Context& it) {
  it.warp.uniform.set(it.to() & 63, special_register(it, it.word.field(72)), all_lanes);
}
void read_special_wide(const Context& it) {
  read_special(it);
  if (it.word.bit(80)) it.file.set(it.to() + 1, Lanes{}, it.lanes);
}

/// 1, 1, 2, 2, 4, 8 or 16 bytes at each lane's offset.
void load_constant_to(const Context& it, Registers& file, unsigned mask, const Lanes& offsets,
                      unsigned lanes) {
  if (it.word.bit(91)) throw Unsupported{"constants by a handle"};
  const unsigned type = it.word.field(73, 3), bank = it.word.field(54, 5);
  const auto base = static_cast<std::int16_t>(it.word.field(38, 16));
  const unsigned words = type <= 4 ? 1 : type == 5 ? 2 : 4;
  for (unsigned word = 0; word < words; ++word) {
    Lanes values{};
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      const unsigned at = offsets[lane] + static_cast<unsigned>(base) + 4 * word;
      const std::uint32_t whole = constant(it.warp, bank, at & ~3u) >> 8 * (at & 3);
      values[lane] = type == 0   ? whole & 0xff
                     : type == 1 ? static_cast<std::uint32_t>(static_cast<std::int8_t>(whole))
                     : type == 2 ? whole & 0xffff
                     : type == 3 ? static_cast<std::uint32_t>(static_cast<std::int16_t>(whole))
                                 : whole;
    }
    file.set((it.to() & mask) + word, values, lanes);
  }
}
void load_constant(const Context& it) {
  load_constant_to(it, it.file, 255, it.file[it.word.field(24)], it.lanes);
}
void load_constant_uniform(const Context& it) {
  load_constant_to(it, it.warp.uniform, 63, Lanes{}, 1);
}

void do_nothing(const Context&) {}

}  // namespace

const Table& warp_operations() {
  static const Table table{{0x189, shuffle},
                           {0x006, vote},
                           {0x086, vote_uniform},
                           {0x1a1, match},
                           {0x1c4, reduce},
                           {0x1c2, to_uniform},
                           {0x0ca, to_uniform},
                           {0x119, read_special},
                           {0x1c3, read_special_uniform},
                           {0x005, read_special_wide},
                           {0x182, load_constant},
                           {0x0b9, load_constant_uniform},
                           {0x118, do_nothing},
                           {0x11b, do_nothing},
                           {0x1af, do_nothing},
                           {0x11a, do_nothing},
                           {0x192, do_nothing},
                           {0x1ab, do_nothing},
                           {0x18f, do_nothing}};
  return table;
}

}  // namespace kata::emulator::machine
