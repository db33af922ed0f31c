#pragma once
// mbarrier objects in the shared memory of a block (PTX ISA, 9.7.13.15): arrivals and bytes of bulk
// copies complete phases that threads wait for. cuda::barrier is one, too. The state is kept here
// by the object's address; its 8 bytes in shared memory are marked, as no ordinary access may touch
// them. check/mbarriers.h has what threads do with them.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/runtime/launch/incident.h"
#include "emulator/runtime/launch/order.h"
#include "emulator/runtime/run/bulk_copy.h"

namespace kata::emulator {

/// What threads know of a barrier's phases: how many were complete when a thread had waited, or
/// when it arrived. A few of the latest times of each thread are kept, since others may have met it
/// between two of them.
class PhasesSeen {
 public:
  /// The thread, whose place in the order of accesses is `who`, knows that so many are complete.
  void add(unsigned thread, std::uint64_t who, std::uint64_t complete);
  /// What that thread knows by itself, and by others whom it has met since.
  std::uint64_t known(unsigned thread, const BlockOrder& order) const;
  /// By itself alone.
  std::uint64_t known_alone(unsigned thread) const;

 private:
  struct Seen {
    std::uint64_t who = 0, complete = 0;
  };
  static constexpr unsigned kept = 4;
  std::vector<std::array<Seen, kept>> threads_;  ///< the latest first
};

struct Mbarrier {
  unsigned expected = 0, pending = 0;  ///< arrivals
  std::int64_t bytes = 0;              ///< expected less those that have come: the tx-count
  std::uint64_t phase = 0;             ///< the one that is not complete
  std::int64_t bytes_expected = 0;     ///< in this phase
  std::vector<MissingPhase::Copy> copies = {};  ///< in this phase
  /// Copies that have been counted and not been waited for, with their phases.
  std::vector<std::pair<std::uint64_t, std::shared_ptr<const BulkCopy>>> landed = {};
  Released arriving = {};      ///< in this phase
  VectorClock completed = {};  ///< in those before
  Place init = {};
  unsigned initializer = 0;   ///< thread
  bool is_published = false;  ///< other blocks of the cluster see the init at their next meeting
  bool is_fenced = false;     ///< the async proxy sees the init
  PhasesSeen seen = {};

  /// A thread has arrived in this phase, or bytes are expected or have come.
  bool has_begun() const { return pending < expected || bytes != 0; }
  /// What the phase lacks, for whoever waits for it.
  MissingPhase missing() const;
};

/// The phase that a thread waits for: by its number, or any of that parity.
struct WantedPhase {
  bool by_parity;
  std::uint64_t number;  ///< or the parity, 0 or 1

  bool is_complete(const Mbarrier& barrier) const {
    return by_parity ? (barrier.phase & 1) != (number & 1) : barrier.phase > number;
  }
};

using Mbarriers = std::map<std::uintptr_t, Mbarrier>;

}  // namespace kata::emulator
