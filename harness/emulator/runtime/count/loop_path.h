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
struct CodeRange {
  std::uintptr_t low, high;

  bool contains(std::uintptr_t block) const { return block >= low && block <= high; }
  bool contains(const CodeRange& other) const {
    return contains(other.low) && contains(other.high);
  }
  void add(const CodeRange& other) {
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
  const CodeRange& learn(std::uintptr_t head, const CodeRange& range) {
    const auto [known, is_new] = ranges_.try_emplace(head, range);
    if (!is_new) known->second.add(range);
    return known->second;
  }
  /// A block's counts do not depend on those that ran before it.
  void forget_loop_ranges() { ranges_.clear(); }

 private:
  struct Known {
    std::uintptr_t block = 0;
    unsigned number = 0;
  };
  std::array<Known, 256> recent_{};
  std::unordered_map<std::uintptr_t, unsigned> numbers_;
  std::unordered_map<std::uintptr_t, CodeRange> ranges_;  ///< by head
};

class LoopPath {
 public:
  void begin(LoopMap& map) {
    map_ = &map;
    calls_ = depth_ = unrolled_ = copy_ = 0;
    iteration_ = 0;
    frame_ = head_ = 0;
    entered_.clear();
    at_ = 0;
    loop_[0].head = 0;
  }

  /// The same number for all lanes in the same iteration of all loops around them.
  std::uint64_t iteration() const { return iteration_; }

  /// The thread enters the basic block at `block`, with its stack at `frame`.
  void enter(std::uintptr_t block, std::uintptr_t frame) {
    if (frame == frame_) {
      const bool is_last = at_ == entered_.size();
      if (!is_last && entered_[at_] == block) {
        ++at_;
        return;
      }
      if (is_last && block == head_) return next_iteration();
    }
    enter_another(block, frame);
  }

  /// How often a device has a loop's body in its code, and when the rest of a division by that
  /// comes, in a loop of its own. `apart`: each copy has its own instructions here, too.
  struct Unrolling {
    unsigned copies;
    bool rest_last = false, apart = false;
  };
  /// The block begins an iteration, the first of `left`, of such a loop.
  void enter_unrolled(unsigned loop, const Unrolling& how, std::uint64_t left);
  /// The same of iteration `done`, from 0, of a loop that a device has unrolled as a whole: it has
  /// no such loop, but copies of the instructions.
  void enter_copy(unsigned loop, unsigned done, unsigned iterations);
  void leave_unrolled(unsigned loop);

  /// Which copy of its instructions the thread is at, from 1; 0 where there is one alone.
  unsigned copy() const { return copy_; }

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
    CodeRange range;
    std::uint64_t outer;  ///< iteration of the loops around it
    std::uint64_t base;   ///< of its iterations' numbers
    std::uint64_t count;
    std::size_t first;  ///< of the iteration's blocks in `entered_`: the head
  };

  struct Unrolled {
    unsigned loop;
    unsigned calls, depth;  ///< where it began
    unsigned outer_copy;
    std::uint64_t outer;  ///< iteration of the loops around it
    std::uint64_t iterations, left;
  };

  static std::uint64_t mixed(std::uint64_t value) {
    value *= 0x9e3779b97f4a7c15u;
    return value ^ value >> 32;
  }

  /// Of the innermost loop.
  void next_iteration() {
    Loop& loop = loop_[depth_ - 1];
    at_ = loop.first + 1;
    iteration_ = mixed(loop.base + ++loop.count);
    loop_[depth_].head = 0;
  }

  Unrolled* unrolled();
  Unrolled* unrolled(unsigned loop, std::uint64_t iterations, std::uint64_t left);
  void enter_another(std::uintptr_t block, std::uintptr_t frame);
  void return_to(std::uintptr_t frame);
  void begin_call(std::uintptr_t frame);
  bool begin_iteration(std::uintptr_t head, std::size_t first);
  void begin_loop(std::uintptr_t head, std::size_t first);
  void leave_loops(std::uintptr_t block);
  void find_head() { head_ = depth_ > call_[calls_ - 1].depth ? loop_[depth_ - 1].head : 0; }

  // Deeper loops and loops after so many blocks are not tracked separately.
  static constexpr unsigned most_calls = 8, most_loops = 8, most_blocks = 4096;

  LoopMap* map_ = nullptr;
  unsigned calls_ = 0, depth_ = 0, unrolled_ = 0, copy_ = 0;
  std::uint64_t iteration_ = 0;
  std::uintptr_t frame_ = 0;  ///< of the deepest call
  std::uintptr_t head_ = 0;   ///< of its innermost loop
  /// Blocks of the calls and of the loops' present iterations, in the thread's order. From `at_` on
  /// those of the iteration before, which the thread is likely to enter again.
  std::vector<std::uintptr_t> entered_;
  std::size_t at_ = 0;
  std::vector<unsigned> last_;  ///< by a block's number: where in `entered_` it is, if it is there
  std::array<Call, most_calls> call_;
  std::array<Unrolled, most_loops> unrolled_loop_;
  std::array<Loop, most_loops + 1> loop_{};  ///< behind the innermost: one that was just left
};

}  // namespace kata::emulator
