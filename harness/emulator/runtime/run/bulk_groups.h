#pragma once
// Bulk copies out of shared memory, which each thread commits in groups and waits for
// (cp.async.bulk.commit_group, cp.async.bulk.wait_group). Their bytes are written at once; what
// goes on until the wait is that they read shared memory.

#include <cstdint>
#include <vector>

#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

class BulkGroups {
 public:
  /// Of a new block: none.
  void begin(unsigned threads) {
    threads_ = threads;
    stores_.clear();
  }

  // Called by the running thread.

  /// The copy reads shared memory: its number of AsyncReads.
  void add(std::uint64_t read, const Place& place);
  void commit();
  /// Takes out the reads of all groups but the latest ones.
  std::vector<std::uint64_t> take(unsigned groups_left);
  /// The thread returns. A copy of it that nothing has waited for; null if there is none.
  const Place* left() const;

 private:
  struct Store {
    std::uint64_t read, group;
    Place place;
  };
  struct Stores {
    std::vector<Store> pending;
    std::uint64_t group = 0;  ///< the one that is not committed yet
  };
  Stores& mine();

  std::vector<Stores> stores_;  ///< by thread; empty until a first copy
  unsigned threads_ = 0;
};

}  // namespace kata::emulator
