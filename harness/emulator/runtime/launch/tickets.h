#pragma once
// Counters to which each block adds once to say that it is done: the last one goes on with what all
// have left. Atomics on other words are not ordered before that, unless a fence is in between.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/runtime/memory/shadow.h"

namespace kata::emulator {

/// What an atomic operation has changed.
struct Change {
  std::uintptr_t address = 0;
  Mark mark = {};
};

/// Those of a launch.
class Tickets {
 public:
  /// A block adds to this counter. `unfenced`: what it has changed before, with no fence since.
  void draw(std::uintptr_t counter, std::uint64_t block, const std::vector<Change>& unfenced);

  /// Another block's change to this word, in other code, that nothing orders before this block,
  /// which was the last of `blocks` to draw, or one of the last: each of `at_once` OS threads may
  /// have drawn, but not added yet.
  std::optional<Mark> relied_on(std::uintptr_t address, std::uint64_t block, const void* code,
                                std::uint64_t blocks, unsigned at_once) const;

 private:
  struct Counter {
    std::uintptr_t address;
    std::unordered_map<std::uint64_t, std::uint64_t> drawn = {};  ///< by block: when
    bool is_drawn_again = false;                                  ///< by one of them
    std::vector<Change> changes = {};
  };

  std::atomic<bool> any_ = false;
  mutable std::mutex mutex_;
  std::vector<Counter> counters_;  ///< the first few
};

}  // namespace kata::emulator
