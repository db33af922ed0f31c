#pragma once
// What threads know of each other's blocks, and what hands that on: barriers and flags.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/runtime/memory/shadow.h"

namespace kata::emulator {

struct StreamClock;

/// How far a fence, a release or an acquire reaches.
enum class Scope : std::uint8_t { block, device, system };

/// What a thread of a block has made visible by a fence and a flag: for each thread of the block,
/// the clock before which its accesses are visible.
struct BlockClock {
  std::uint64_t block = 0;
  Scope scope = Scope::block;
  int device = -1;              ///< the block's, where there are several
  const void* fence = nullptr;  ///< code of the fence that reaches too few, where that is known
  std::shared_ptr<const std::vector<unsigned>> before;
  unsigned earliest = *std::min_element(before->begin(), before->end());
  unsigned latest = *std::max_element(before->begin(), before->end());
};
/// What a thread has seen of others, sorted by block and scope. Null: nothing.
using VectorClock = std::shared_ptr<const std::vector<BlockClock>>;
VectorClock joined(const VectorClock& a, const VectorClock& b);
/// What of it was published to the system.
VectorClock of_system(const VectorClock& known);
/// The same, of which that block's, or everybody's, reaches at least so far.
VectorClock widened(const VectorClock& known, Scope scope, std::optional<std::uint64_t> block = {});
/// Whether who knows this comes after the access, as a thread of block `reader` or of another
/// launch.
bool covers_for(const VectorClock& known, const Mark& mark, std::uint64_t reader);
bool covers(const VectorClock& known, const Mark& mark);

/// What threads that arrive at a barrier hand on to those that wait for its phase.
class Released {
 public:
  /// Of one block, as far as its fences reach.
  struct Part {
    std::uint64_t block;
    Scope scope;
    unsigned all;  ///< clock
    std::vector<unsigned> before;

    /// What that thread did before the clock.
    void add(unsigned thread, unsigned clock) { before[thread] = std::max(before[thread], clock); }
    /// The same of all its threads.
    void add_all(unsigned clock);
  };
  Part& part(std::uint64_t block, Scope scope, std::size_t threads);
  void add(const VectorClock& known) { known_ = joined(known_, known); }
  /// All of it; nothing is left.
  VectorClock take();

 private:
  std::vector<Part> parts_;
  VectorClock known_;
};

/// The locations that threads have published something by: those of one launch or, where there are
/// several devices, of all.
class Flags {
 public:
  /// Those of all launches that are under way together.
  static Flags& of_all();

  bool any() const { return any_.load(std::memory_order_relaxed); }
  /// `before`: what comes before all that the launch does; of no more use then. Null: not known.
  void publish(std::uintptr_t address, const VectorClock& clock, const StreamClock* before);
  void clear();
  VectorClock at(std::uintptr_t address) const;

  /// A thread has added to this counter twice in turn: work is dealt out by its numbers, and a
  /// number that another block drew does not say that the work before is done.
  void deal_from(std::uintptr_t counter);
  bool deals_from(std::uintptr_t address) const;

 private:
  std::array<std::atomic<std::uintptr_t>, 4> counters_{};  ///< the latest ones
  std::atomic<unsigned> counters_seen_ = 0;
  std::atomic<bool> any_ = false;
  mutable std::mutex mutex_;
  std::unordered_map<std::uintptr_t, VectorClock> locations_;
};

}  // namespace kata::emulator
