#pragma once
// Where a CUDA thread is in its loops, from the addresses of the basic blocks that it enters
// (-fsanitize-coverage=trace-pc): lanes that are at the same instruction in the same iteration run
// together on a device.
//
// A thread comes to a loop's head in every iteration, and to no other block twice in one: a block
// that it has entered before begins the next iteration. Where the compiler has put the blocks, and
// which of them a lane jumps to first, does not matter.

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kata::emulator {

/// The code from one basic block to another.
struct Reach {
  std::uintptr_t low, high;

  bool contains(std::uintptr_t block) const { return block >= low && block <= high; }
  bool contains(const Reach& other) const { return contains(other.low) && contains(other.high); }
  void add(const Reach& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

/// What the threads before have shown of the code: numbers of its basic blocks, and how far each
/// loop reaches. Of one OS thread.
class LoopMap {
 public:
  unsigned number_of(std::uintptr_t block) {
    Known& known = recent_[block >> 2 & (recent_.size() - 1)];
    if (known.block != block) [[unlikely]]
      known = {block, numbers_.try_emplace(block, numbers_.size()).first->second};
    return known.number;
  }
  const Reach& learn(std::uintptr_t head, const Reach& reach) {
    const auto [known, is_new] = reaches_.try_emplace(head, reach);
    if (!is_new) known->second.add(reach);
    return known->second;
  }
  /// A block's counts do not depend on those that ran before it.
  void forget_reaches() { reaches_.clear(); }

 private:
  struct Known {
    std::uintptr_t block = 0;
    unsigned number = 0;
  };
  std::array<Known, 256> recent_{};
  std::unordered_map<std::uintptr_t, unsigned> numbers_;
  std::unordered_map<std::uintptr_t, Reach> reaches_;  ///< by head
};

class LoopPath {
 public:
  void begin(LoopMap& map) {
    map_ = &map;
    calls_ = depth_ = 0;
    iteration_ = 0;
    entered_.clear();
    forget_inner_loops();
  }

  /// The same number for all lanes in the same iteration of all loops around them.
  std::uint64_t iteration() const { return iteration_; }

  /// The thread enters the basic block at `block`, with its stack at `frame`.
  void enter(std::uintptr_t block, std::uintptr_t frame);

 private:
  /// A function that is under way: deeper calls have lower frames.
  struct Call {
    std::uintptr_t frame;
    std::uint64_t iteration;  ///< of the caller
    unsigned depth;           ///< loops of the callers
    std::size_t first;        ///< of its blocks in `entered_`
  };
  struct Loop {
    std::uintptr_t head;
    Reach reach;
    std::uint64_t outer;  ///< iteration of the loops around it
    std::uint64_t count;
    std::size_t first;  ///< of the iteration's blocks in `entered_`: the head
  };

  void begin_call(std::uintptr_t frame);
  void begin_iteration(std::uintptr_t head, std::size_t first);
  void leave_loops(std::uintptr_t block);
  void forget_inner_loops() {
    if (depth_ < most_loops) loop_[depth_].head = 0;
  }

  // Deeper ones are not told apart, nor loops behind so many blocks.
  static constexpr unsigned most_calls = 8, most_loops = 8, most_blocks = 4096;
  std::array<Call, most_calls> call_;
  std::array<Loop, most_loops> loop_{};
  LoopMap* map_ = nullptr;
  unsigned calls_ = 0, depth_ = 0;
  std::uint64_t iteration_ = 0;
  /// Blocks of the calls and of the loops' present iterations, in the thread's order.
  std::vector<std::uintptr_t> entered_;
  std::vector<unsigned> last_;  ///< by a block's number: where in `entered_` it is, if it is there
};

}  // namespace kata::emulator
