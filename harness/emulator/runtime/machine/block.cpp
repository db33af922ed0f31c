// Runs a block of machine code: control flow and convergence.
#include <algorithm>
#include <bit>

#include "emulator/runtime/machine/barriers.h"
#include "emulator/runtime/machine/launch.h"
#include "emulator/runtime/machine/sources.h"

namespace kata::emulator::machine {
namespace {

/// Instructions of a warp, and rounds of a block, before others have a turn.
constexpr unsigned steps_of_turn = 20000, rounds_of_block = 64;

/// Of control flow, by the names that nvdisasm gives them.
enum Opcode : unsigned {
  b2r = 0x11c,
  bar = 0x11d,
  bsync = 0x141,
  break_sync = 0x142,
  call = 0x144,
  bssy = 0x145,
  yield = 0x146,
  bra = 0x147,
  warpsync = 0x148,
  exit_lanes = 0x14d,
  ret = 0x150,
  bmov_from = 0x155,
  bmov_to = 0x156,
  nanosleep = 0x15d,
  cluster_barrier = 0x1c7,
};

/// Relative to the next instruction, in words of 4 bytes.
std::uint32_t target(const Word& word, std::uint32_t at) {
  const std::uint64_t distance = word.bits(34, 48) << 8 | word.bits(16, 8);
  const auto words = static_cast<std::int64_t>(distance << 8) >> 8;
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(at) + 1 + words / 4);
}

class Runner {
 public:
  explicit Runner(Block& block) : block_(block), code_(block.launch.kernel.code) {}

  /// False: it has had its turn, or waits, and is not over.
  bool run() {
    for (unsigned round = 0; round < rounds_of_block; ++round) {
      bool is_over = true, has_moved = false;
      for (Warp& warp : block_.warps) {
        has_moved |= run_warp(warp);
        is_over &= warp.live == 0;
      }
      if (is_over) return true;
      if (!has_moved) return false;
    }
    return false;
  }

 private:
  /// False: all its lanes wait, or it polls.
  bool run_warp(Warp& warp) {
    bool has_moved = false;
    warp.has_polled = false;
    for (unsigned left = steps_of_turn; left > 0; has_moved = true) {
      const auto ready = std::ranges::find(warp.groups, Group::Waits::no, &Group::waits);
      if (ready == warp.groups.end()) break;
      const Group group = *ready;
      warp.groups.erase(ready);
      try {
        run_group(warp, group, left);
      } catch (Unsupported& reason) {
        add_line(reason);
        throw;
      }
    }
    return has_moved && !warp.has_polled;
  }

  void add_line(Unsupported& reason) const {
    const auto& lines = block_.launch.kernel.lines;
    const unsigned line = at_ < lines.size() ? lines[at_].line : 0;
    if (line > 0) reason.what += " in line " + std::to_string(line);
  }

  /// Until its lanes wait or exit, or have had their turn.
  void run_group(Warp& warp, Group group, unsigned& left) {
    for (; left > 0; --left) {
      if (group.at >= code_.size()) throw Unsupported{"code that does not end"};
      const Word& word = code_[at_ = group.at];
      ++block_.launch.steps;
      const unsigned opcode = word.field(0, 9);
      if (execute(warp, group.lanes, word, opcode)) {
        ++group.at;
        if (warp.has_polled) left = 1;
      } else if (!control(warp, group, word, opcode)) {
        return;
      }
    }
    warp.groups.push_back(group);
  }

  unsigned guard(const Warp& warp, const Word& word) const {
    return warp.registers.predicate(word.field(12, 3), word.bit(15));
  }

  static bool is_uniform(unsigned opcode) {
    return (opcode >= 0x80 && opcode < 0xc0 && opcode != 0x86) || opcode == 0xb9;
  }

  static unsigned vector_opcode(unsigned opcode) {
    switch (opcode) {
      case 0xb9:
        return opcode;
      case 0xbd:
        return 0x100;
      case 0xbe:
        return 0x101;
      case 0xbf:
        return 0x109;
      default:
        return opcode - 0x80;
    }
  }

  /// False: it is none of the table's, as all control flow.
  bool execute(Warp& warp, unsigned active, const Word& word, unsigned opcode) {
    const bool uniform = is_uniform(opcode);
    const unsigned number = uniform ? vector_opcode(opcode) : opcode;
    const Execute what = execution(number);
    if (!what) return false;
    Registers& file = uniform ? warp.uniform : warp.registers;
    unsigned lanes = active & guard(warp, word);
    if (uniform) lanes = warp.uniform.predicate(word.field(12, 3), word.bit(15)) & 1;
    // Of shared memory the instruction counts also where no lane takes part.
    const bool is_counted = number == 0x184 || number == 0x188;
    if (lanes > 0 || is_counted) what({warp, file, word, number, word.field(9, 3), lanes});
    return true;
  }

  /// False: the group is gone, waits, or is another one now.
  bool control(Warp& warp, Group& group, const Word& word, unsigned opcode) {
    const unsigned lanes = group.lanes & guard(warp, word);
    const unsigned and_if = predicate(warp, word);
    switch (opcode) {
      case bra:
        return branch(warp, group, word, lanes & branch_condition(warp, group, word, and_if));
      case exit_lanes:
        return leave(warp, group, lanes & and_if);
      case bssy:
        for (unsigned lane = 0; lane < 32; ++lane)
          if (lanes >> lane & 1) warp.sync[word.field(16, 4)][lane] = group.lanes;
        ++group.at;
        return true;
      case bsync:
        return wait(warp, group, lanes & and_if, Group::Waits::at_sync, word.field(16, 4));
      case break_sync:
        for (Lanes& all = warp.sync[word.field(16, 4)]; std::uint32_t & one : all)
          one &= ~(lanes & and_if);
        release(warp);
        ++group.at;
        return true;
      case warpsync:
        return wait_for_warp(warp, group, word, lanes);
      case call:
        return branch(warp, group, word, lanes);
      case ret:
        return go_back(warp, group, word, lanes);
      case bar:
        return wait_for_block(warp, group, word, lanes, and_if);
      case b2r:
        read_barrier(warp, word, lanes);
        ++group.at;
        return true;
      case bmov_from:
      case bmov_to:
        move_sync(warp, word, opcode == bmov_to, lanes);
        ++group.at;
        return true;
      case cluster_barrier:
        if (constexpr unsigned arrives = 4; word.field(9, 3) != arrives)
          return wait_for_cluster(warp, group);
        arrive_at_cluster(warp, lanes);
        ++group.at;
        return true;
      case yield:
      case nanosleep:
        ++group.at;
        warp.groups.push_back(group);
        return false;
      default:
        throw Unsupported{"opcode " + std::to_string(opcode)};
    }
  }

  unsigned predicate(const Warp& warp, const Word& word) const {
    return warp.registers.predicate(word.field(87, 3), word.bit(90));
  }

  /// Of all lanes alike: that of a uniform predicate, or whether lanes of a mask are missing.
  unsigned branch_condition(const Warp& warp, const Group& group, const Word& word,
                            unsigned and_if) const {
    const unsigned kind = word.field(32, 2);
    if (kind == 0) return and_if;
    if (kind == 2) {
      const unsigned mask = warp.uniform[word.field(24, 6)][0];
      return (mask & ~group.lanes & warp.present) != 0 ? all_lanes : 0;
    }
    const bool holds = (warp.uniform.predicate(word.field(24, 3), word.bit(27)) & 1) != 0;
    return holds ? and_if : 0;
  }

  bool branch(Warp& warp, Group& group, const Word& word, unsigned taken) {
    const std::uint32_t to = target(word, group.at);
    if (taken == group.lanes) {
      group.at = to;
      return true;
    }
    if (taken != 0) {
      warp.groups.push_back({taken, to});
      group.lanes &= ~taken;
    }
    ++group.at;
    return true;
  }

  bool leave(Warp& warp, Group& group, unsigned lanes) {
    warp.live &= ~lanes;
    group.lanes &= ~lanes;
    if (lanes != 0) {
      release(warp);
      release_barriers(block_);
    }
    ++group.at;
    return group.lanes != 0;
  }

  /// Lanes that need not wait go on with those that have come together.
  bool wait(Warp& warp, Group& group, unsigned lanes, Group::Waits how, unsigned what) {
    if (lanes == 0) {
      ++group.at;
      return true;
    }
    if (lanes != group.lanes) {
      warp.groups.push_back({group.lanes & ~lanes, group.at + 1});
      group.lanes = lanes;
    }
    group.waits = how;
    group.what = what;
    if ((wanted(warp, group) & ~group.lanes) == 0) {  // nobody is missing
      group.waits = Group::Waits::no;
      ++group.at;
      return true;
    }
    warp.groups.push_back(group);
    release(warp);
    return false;
  }

  /// The lanes that a group waits for.
  static unsigned wanted(const Warp& warp, const Group& group) {
    if (group.waits == Group::Waits::at_warp_sync) return group.what & warp.live;
    unsigned all = 0;
    for (unsigned rest = group.lanes; rest; rest &= rest - 1)
      all |= warp.sync[group.what][static_cast<unsigned>(std::countr_zero(rest))];
    return all & warp.live;
  }

  /// Makes one of groups that have waited for each other.
  static void release(Warp& warp) {
    for (std::size_t i = 0; i < warp.groups.size(); ++i) {
      Group& one = warp.groups[i];
      if (one.waits != Group::Waits::at_sync && one.waits != Group::Waits::at_warp_sync) continue;
      unsigned together = 0;
      for (const Group& other : warp.groups)
        if (other.waits == one.waits && other.at == one.at) together |= other.lanes;
      if (wanted(warp, one) & ~together) continue;
      const Group::Waits how = one.waits;
      const std::uint32_t at = one.at;
      std::erase_if(warp.groups,
                    [&](const Group& other) { return other.waits == how && other.at == at; });
      warp.groups.push_back({together & warp.live, at + 1});
      i = ~std::size_t{0};
    }
  }

  bool wait_for_warp(Warp& warp, Group& group, const Word& word, unsigned lanes) {
    unsigned mask = all_lanes;
    if (word.field(9, 3) == 4) {
      const auto constant = static_cast<unsigned>(word.bits(32, 32));
      mask = constant == 0 ? all_lanes : constant;
    } else if (lanes != 0) {
      const bool collective = word.bit(86);
      const auto first = static_cast<unsigned>(std::countr_zero(lanes));
      mask = warp.registers[word.field(collective ? 24 : 32)][first];
    }
    return wait(warp, group, lanes, Group::Waits::at_warp_sync, mask);
  }

  /// RET: to the instruction whose place a pair of registers holds.
  bool go_back(Warp& warp, Group& group, const Word& word, unsigned lanes) {
    if (lanes != group.lanes) throw Unsupported{"a return of some lanes"};
    const Lanes& where = warp.registers[word.field(24)];
    const std::uint32_t to = where[static_cast<unsigned>(std::countr_zero(lanes))];
    for (unsigned rest = lanes; rest; rest &= rest - 1)
      if (where[static_cast<unsigned>(std::countr_zero(rest))] != to)
        throw Unsupported{"returns to several places"};
    group.at =
        target(word, group.at) + static_cast<std::uint32_t>(static_cast<std::int32_t>(to) / 16);
    return true;
  }

  void move_sync(Warp& warp, const Word& word, bool to_sync, unsigned lanes) {
    Lanes& all = warp.sync[word.field(24, 4)];
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (to_sync) {
        all[lane] = warp.registers[word.field(32)][lane];
      } else if (word.field(16) != 255) {
        warp.registers.general[word.field(16)][lane] = all[lane];
      }
    }
  }

  Block& block_;
  const std::vector<Word>& code_;
  std::uint32_t at_ = 0;  ///< the instruction that runs
};

}  // namespace

bool run_block(Block& block) {
  return Runner(block).run();
}

}  // namespace kata::emulator::machine
