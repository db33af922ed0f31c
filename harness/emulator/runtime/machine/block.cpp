// Runs blocks of machine code: control flow, convergence and barriers.
#include <algorithm>
#include <bit>
#include <deque>
#include <memory>

#include "emulator/runtime/launch/sample.h"
#include "emulator/runtime/machine/launch.h"
#include "emulator/runtime/machine/sources.h"

namespace kata::emulator::machine {
namespace {

/// Instructions of a warp, and rounds of a block, before others have a turn.
constexpr unsigned steps_of_turn = 20000, rounds_of_block = 64;

/// Instructions of warps after which the rest of a launch is told from some of its blocks.
constexpr std::uint64_t most_steps = 100'000'000, always_run = 8;

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

  /// False: it has had its turn, and is not over.
  bool run() {
    for (unsigned round = 0; round < rounds_of_block; ++round) {
      bool is_over = true, has_moved = false;
      for (Warp& warp : block_.warps) {
        has_moved |= run_warp(warp);
        is_over &= warp.live == 0;
      }
      if (is_over) return true;
      if (!has_moved) throw Unsupported{"lanes that wait for ever"};
    }
    return false;
  }

 private:
  /// False: all its lanes wait.
  bool run_warp(Warp& warp) {
    bool has_moved = false;
    for (unsigned left = steps_of_turn; left > 0; has_moved = true) {
      const auto ready = std::ranges::find(warp.groups, Group::Waits::no, &Group::waits);
      if (ready == warp.groups.end()) break;
      const Group group = *ready;
      warp.groups.erase(ready);
      run_group(warp, group, left);
    }
    return has_moved;
  }

  /// Until its lanes wait or exit, or have had their turn.
  void run_group(Warp& warp, Group group, unsigned& left) {
    for (; left > 0; --left) {
      if (group.at >= code_.size()) throw Unsupported{"code that does not end"};
      const Word& word = code_[group.at];
      ++block_.launch.steps;
      const unsigned opcode = word.field(0, 9);
      if (execute(warp, group.lanes, word, opcode)) {
        ++group.at;
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
      case yield:
      case nanosleep:
        ++group.at;
        warp.groups.push_back(group);
        return false;
      default:
        throw Unsupported{"opcode " + std::to_string(word.field(0, 12))};
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
      release_block();
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

  // ---- barriers of the block

  struct Arrival {
    unsigned number = 0, threads = 0;  ///< threads: 0 for all
  };
  Arrival arrival(const Warp& warp, const Word& word, unsigned lanes) const {
    if (word.field(0, 12) == 0xb1d) return {word.field(54, 4), word.field(42, 12)};
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint32_t packed = warp.registers[word.field(32)][first];
    return {packed & 15, packed >> 16 & 0xfff};
  }

  bool wait_for_block(Warp& warp, Group& group, const Word& word, unsigned lanes, unsigned and_if) {
    if (lanes == 0) {
      ++group.at;
      return true;
    }
    constexpr unsigned arrives = 1, reduces = 2;
    const unsigned mode = word.field(77, 2);
    const auto [number, threads] = arrival(warp, word, lanes);
    Block::Barrier& barrier = block_.barriers[number];
    barrier.arrived += static_cast<unsigned>(std::popcount(lanes));
    barrier.threads = threads;
    if (mode == reduces) {
      barrier.true_lanes += static_cast<unsigned>(std::popcount(lanes & and_if));
      barrier.asks_all = word.field(74, 2) == 1;
    }
    if (mode != arrives) {
      warp.groups.push_back({lanes, group.at, Group::Waits::at_barrier, number});
      group.lanes &= ~lanes;
    }
    ++group.at;
    release_block();
    return group.lanes != 0;
  }

  void release_block() {
    unsigned live = 0;
    for (const Warp& warp : block_.warps) live += static_cast<unsigned>(std::popcount(warp.live));
    for (unsigned number = 0; number < block_.barriers.size(); ++number) {
      Block::Barrier& barrier = block_.barriers[number];
      if (barrier.arrived == 0) continue;
      const unsigned needed = barrier.threads == 0 ? live : barrier.threads;
      if (barrier.arrived < needed) continue;
      barrier.result = barrier.true_lanes;
      barrier.all = barrier.true_lanes == barrier.arrived;
      barrier.arrived = barrier.true_lanes = 0;
      for (Warp& warp : block_.warps) release_from_barrier(warp, number);
    }
  }

  static void release_from_barrier(Warp& warp, unsigned number) {
    for (std::size_t i = 0; i < warp.groups.size(); ++i) {
      if (warp.groups[i].waits != Group::Waits::at_barrier || warp.groups[i].what != number)
        continue;
      const std::uint32_t at = warp.groups[i].at;
      unsigned lanes = 0;
      const auto is_there = [&](const Group& other) {
        return other.waits == Group::Waits::at_barrier && other.what == number && other.at == at;
      };
      for (const Group& other : warp.groups) lanes |= is_there(other) ? other.lanes : 0;
      std::erase_if(warp.groups, is_there);
      warp.groups.push_back({lanes, at + 1});
      i = ~std::size_t{0};
    }
  }

  /// B2R.RESULT: what the last reduction of a barrier has found.
  void read_barrier(Warp& warp, const Word& word, unsigned lanes) {
    const Block::Barrier& barrier = block_.barriers[0];
    const unsigned to = word.field(16);
    warp.registers.set(to, splat(barrier.result), lanes);
    // Which of the two it was, its instruction has said.
    warp.registers.set_predicate(
        word.field(81, 3), (barrier.asks_all ? barrier.all : barrier.result > 0) ? all_lanes : 0,
        lanes);
  }

  Block& block_;
  const std::vector<Word>& code_;
};

std::unique_ptr<Block> block_of(Launch& launch, std::uint64_t number) {
  const Configuration& how = launch.configuration;
  auto block = std::make_unique<Block>(launch, how.shared_bytes);
  const unsigned threads = how.block[0] * how.block[1] * how.block[2];
  block->number = number;
  block->index = {static_cast<unsigned>(number % how.grid[0]),
                  static_cast<unsigned>(number / how.grid[0] % how.grid[1]),
                  static_cast<unsigned>(number / how.grid[0] / how.grid[1])};
  block->warps.reserve((threads + 31) / 32);
  for (unsigned first = 0; first < threads; first += 32) {
    Warp& warp = block->warps.emplace_back(*block);
    warp.number = first / 32;
    warp.present = warp.live = threads - first >= 32 ? all_lanes : (1u << (threads - first)) - 1;
    warp.groups.push_back({warp.live, 0});
  }
  return block;
}

void run_blocks(Launch& launch, const std::vector<std::uint64_t>& numbers) {
  // Those that may wait for others: each has its turn.
  std::deque<std::unique_ptr<Block>> under_way;
  std::size_t next = 0;
  while (next < numbers.size() || !under_way.empty()) {
    if (launch.steps > 4 * most_steps) throw Unsupported{"blocks that do not end"};
    if (next < numbers.size()) under_way.push_front(block_of(launch, numbers[next++]));
    std::unique_ptr<Block> block = std::move(under_way.front());
    under_way.pop_front();
    launch.order = block->number;
    if (!Runner(*block).run()) under_way.push_back(std::move(block));
  }
}

}  // namespace

std::uint64_t run_some_blocks(Launch& launch, std::uint64_t blocks, bool wait_for_each_other) {
  const std::uint64_t first = wait_for_each_other ? blocks : std::min(always_run, blocks);
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t number = 0; number < first; ++number) numbers.push_back(number);
  run_blocks(launch, numbers);
  const double all =
      static_cast<double>(launch.steps) / static_cast<double>(first) * static_cast<double>(blocks);
  const double share = static_cast<double>(most_steps) / std::max(all, 1.0);
  numbers.clear();
  for (std::uint64_t number = first; number < blocks; ++number)
    if (is_among(number, share) || number + 1 == blocks) numbers.push_back(number);
  run_blocks(launch, numbers);
  return first + numbers.size();
}

}  // namespace kata::emulator::machine
