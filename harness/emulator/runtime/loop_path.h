#pragma once
// Where a CUDA thread is in its loops, from the addresses of the basic blocks that it enters
// (-fsanitize-coverage=trace-pc): lanes that are at the same instruction in the same iteration run
// together on a device.

#include <array>
#include <cstdint>

namespace kata::emulator {

/// How far each loop reaches, as jumps back to its head have shown. Of one OS thread.
class LoopEnds {
 public:
  std::uintptr_t learn(std::uintptr_t head, std::uintptr_t end) {
    Loop& known = loops_[head >> 2 & (loops_.size() - 1)];
    if (known.head != head || known.end < end) known = {head, end};
    return known.end;
  }
  void forget() { loops_ = {}; }

 private:
  struct Loop {
    std::uintptr_t head = 0, end = 0;
  };
  std::array<Loop, 64> loops_{};
};

class LoopPath {
 public:
  void begin(LoopEnds& ends) {
    ends_ = &ends;
    calls_ = depth_ = 0;
    iteration_ = 0;
    forget_inner_loops();
  }

  /// The same number for all lanes in the same iteration of all loops around them.
  std::uint64_t iteration() const { return iteration_; }

  /// The thread enters the basic block at `block`, with its stack at `frame`.
  void enter(std::uintptr_t block, std::uintptr_t frame);

 private:
  /// A function that is under way: deeper calls have lower frames.
  struct Call {
    std::uintptr_t frame, block;  ///< `block`: the last one that it entered
    std::uint64_t iteration;      ///< of the caller
    unsigned depth;               ///< loops of the callers
  };
  /// Code lies in the order of the source: a jump back goes to the head of a loop.
  struct Loop {
    std::uintptr_t head, end;
    std::uint64_t outer;  ///< iteration of the loops around it
    std::uint64_t count;
  };

  void begin_call(std::uintptr_t block, std::uintptr_t frame);
  void forget_inner_loops() {
    if (depth_ < most_loops) loop_[depth_].head = 0;
  }
  void jump_back(std::uintptr_t head, std::uintptr_t from);

  // Deeper ones are not told apart.
  static constexpr unsigned most_calls = 8, most_loops = 8;
  std::array<Call, most_calls> call_;
  std::array<Loop, most_loops> loop_{};
  LoopEnds* ends_ = nullptr;
  unsigned calls_ = 0, depth_ = 0;
  std::uint64_t iteration_ = 0;
};

}  // namespace kata::emulator
