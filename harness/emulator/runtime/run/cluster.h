#pragma once
// The blocks of a thread block cluster: resident together, with a barrier of their own and access
// to each other's shared memory.

#include <cstdint>
#include <vector>

#include "emulator/runtime/launch/incident.h"
#include "emulator/runtime/launch/order.h"

namespace kata::emulator {

class Block;
struct Thread;

class Cluster {
 public:
  /// By rank; none of them has begun.
  explicit Cluster(std::vector<Block*> blocks);

  Block& block(unsigned rank) const { return *blocks_[rank]; }
  unsigned size() const { return static_cast<unsigned>(blocks_.size()); }
  unsigned rank_of(const Block& block) const;
  /// The block whose shared memory this address lies in; null if it is none's.
  Block* owner_of(std::uintptr_t address) const;

  /// Also after some of its blocks have been given to another cluster.
  bool finished() const { return live_ == 0; }
  bool stuck() const;  ///< no thread can go on
  /// Block::answer_looks() of each.
  bool answer_looks();
  /// The first block of which some thread waits for other things than the cluster.
  const Block& first_stuck() const;

  // Called by the running thread.

  void arrive();
  void wait(const Place& place);
  /// It has returned: no thread waits for it, and its block's shared memory may be gone.
  void leave(const Thread& thread);
  /// It uses the shared memory of another block: `if_left` is recorded unless that block's threads
  /// are known to be there still.
  void visited(Block& owner, const Mark& mark, const Incident& if_left);
  /// Whether all threads have met at least once, so that all blocks have begun.
  bool has_met() const { return phase_ > 0; }

 private:
  /// What a block did last to the shared memory of another.
  struct Visit {
    Mark mark = {};
    Incident if_left = {};
  };

  void meet_if_all_are_here();
  Visit& last_visit(unsigned owner, unsigned visitor) { return visits_[owner * size() + visitor]; }

  std::vector<Block*> blocks_;
  std::vector<std::vector<std::uint64_t>> arrivals_;  ///< by rank and thread, one for each phase
  std::uint64_t phase_ = 0;
  std::size_t live_ = 0, arrived_ = 0;  ///< threads
  VectorClock known_, known_before_;    ///< of what was done before the last meeting
  std::vector<Visit> visits_;
};

}  // namespace kata::emulator
