#include "emulator/runtime/count/bypass_copies.h"

#include <algorithm>
#include <bit>

#include "emulator/runtime/count/lanes.h"

namespace kata::emulator {
namespace {

constexpr unsigned piece_bytes = 16, line_bytes = line_sectors * sector_bytes;

/// Pieces of one kind: one half of a sector that goes to one half of another, say. At most one of
/// each sector of a line: goes_to[s] is the sector that it goes to, or no_slot.
constexpr unsigned no_slot = ~0u;
struct Moves {
  std::array<unsigned, line_sectors> goes_to;

  Moves() { goes_to.fill(no_slot); }
};

/// Takes out of both what they have in common: whole sectors.
Moves take_common(Moves& a, Moves& b) {
  Moves common;
  for (unsigned s = 0; s < line_sectors; ++s) {
    if (a.goes_to[s] == b.goes_to[s]) {
      common.goes_to[s] = a.goes_to[s];
      a.goes_to[s] = b.goes_to[s] = no_slot;
    }
  }
  return common;
}

/// Whether two sectors can move at once: to places as far apart as their own, be it 1 or 3, or 2.
bool go_together(const Moves& moves, unsigned a, unsigned b) {
  const unsigned apart = moves.goes_to[a] ^ moves.goes_to[b];
  return std::countr_zero(a ^ b) == std::countr_zero(apart);
}

unsigned turns_of(const Moves& moves) {
  std::array<unsigned, line_sectors> members{};  // of each turn
  unsigned turns = 0;
  for (unsigned s = 0; s < line_sectors; ++s) {
    if (moves.goes_to[s] == no_slot) continue;
    const auto joins = [&](unsigned those) {
      bool all = true;
      for_each_lane(those, [&](unsigned other) { all &= go_together(moves, s, other); });
      return all;
    };
    unsigned* const turn = std::find_if(members.data(), members.data() + turns, joins);
    if (turn == members.data() + turns) ++turns;
    *turn |= 1u << s;
  }
  return turns;
}

/// What one line of global memory gives to one line of shared memory.
class LineToLine {
 public:
  /// In the order of lanes. Places are bytes in the lines.
  void add(unsigned from, unsigned to) {
    Waiting& waiting = kinds_[half(from)][half(to)][from / sector_bytes];
    waiting.goes_to[waiting.count++] = to / sector_bytes;
  }

  /// In each round every half sector goes to the last of the places that wait for it.
  unsigned turns() {
    unsigned sum = 0;
    while (const unsigned more = round()) sum += more;
    return sum;
  }

 private:
  struct Waiting {
    unsigned count = 0;
    std::array<unsigned, 32> goes_to;
  };

  static unsigned half(unsigned place) { return place % sector_bytes / piece_bytes; }

  Moves take_last(unsigned half_read, unsigned half_written) {
    Moves moves;
    for (unsigned s = 0; s < line_sectors; ++s) {
      Waiting& waiting = kinds_[half_read][half_written][s];
      if (waiting.count > 0) moves.goes_to[s] = waiting.goes_to[--waiting.count];
    }
    return moves;
  }

  unsigned round() {
    Moves lower = take_last(0, 0), upper = take_last(1, 1);
    Moves up = take_last(0, 1), down = take_last(1, 0);
    const Moves straight = take_common(lower, upper), swapped = take_common(up, down);
    unsigned turns = 0;
    for (const Moves& moves : {straight, swapped, lower, upper, up, down}) turns += turns_of(moves);
    return turns;
  }

  std::array<std::array<std::array<Waiting, line_sectors>, 2>, 2> kinds_;
};

/// Whether all lanes copy what lies side by side, in their order, from whole lines to whole lines.
bool is_straight(const Request& from, const Request& to) {
  if (from.lanes != ~0u || from.where[0] % line_bytes != 0 || to.where[0] % line_bytes != 0)
    return false;
  std::uint32_t off = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    off |= from.where[lane] ^ (from.where[0] + lane * piece_bytes);
    off |= to.where[lane] ^ (to.where[0] + lane * piece_bytes);
  }
  return off == 0;
}

}  // namespace

Transfers bypass_sectors(const Request& from, const Request& to) {
  Transfers moved = sectors(from, piece_bytes);
  if (is_straight(from, to)) return moved;
  std::array<std::uint64_t, 32> filled{};
  unsigned count = 0;
  for_each_lane(from.lanes, [&](unsigned lane) {
    filled[count++] =
        std::uint64_t{from.where[lane] / line_bytes} << 32 | to.where[lane] / sector_bytes;
  });
  std::sort(filled.begin(), filled.begin() + count);
  moved.needed =
      static_cast<unsigned>(std::unique(filled.begin(), filled.begin() + count) - filled.begin());
  moved.fewest = std::min(moved.needed, (count * piece_bytes + sector_bytes - 1) / sector_bytes);
  return moved;
}

Transfers bypass_turns(const Request& from, const Request& to) {
  unsigned turns = is_straight(from, to) ? 32 * piece_bytes / line_bytes : 0;
  if (turns > 0) return {.needed = turns, .fewest = turns};
  for (unsigned left = from.lanes; left;) {
    const auto first = static_cast<unsigned>(std::countr_zero(left));
    LineToLine lines;
    for_each_lane(left, [&](unsigned lane) {
      if (from.where[lane] / line_bytes != from.where[first] / line_bytes ||
          to.where[lane] / line_bytes != to.where[first] / line_bytes)
        return;
      lines.add(from.where[lane] % line_bytes, to.where[lane] % line_bytes);
      left &= ~(1u << lane);
    });
    turns += lines.turns();
  }
  return {.needed = turns, .fewest = turns};
}

}  // namespace kata::emulator
