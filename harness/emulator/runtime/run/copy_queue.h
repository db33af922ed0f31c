#pragma once
// Copies from global to shared memory that go on while the thread does other things (cp.async). A
// device may deliver them at any time up to the wait. Here they arrive at the wait, and a thread
// that touches their destination before that is at fault (check/async_copies.h).

#include <cstdint>
#include <vector>

namespace kata::emulator {

struct AsyncCopy {
  std::uintptr_t to, from;
  unsigned bytes, source_bytes;
  const void* code;     ///< the address that its call returns to
  std::uint64_t group;  ///< of its thread, or the phase of its barrier
};

/// The copies of one block's threads that have not arrived.
class CopyQueue {
 public:
  /// Of a new block: none.
  void begin(unsigned threads);

  // Called by the running thread.

  /// The group of the copies that it issues now.
  std::uint64_t group() { return mine().group; }
  void add(const AsyncCopy& copy) { mine().copies.push_back(copy); }
  /// The copies since the last commit become a group.
  void commit() { ++mine().group; }
  /// Takes out all groups but the latest ones; copies that belong to no group yet stay.
  std::vector<AsyncCopy> take(unsigned groups_left);
  std::vector<AsyncCopy> take_all();

  /// The copies that belong to no group arrive with that phase of a barrier.
  void bind(std::uintptr_t barrier, std::uint64_t phase);
  /// Takes out every thread's copies that are bound to that phase or an earlier one.
  std::vector<AsyncCopy> take_bound(std::uintptr_t barrier, std::uint64_t phase);

  /// The latest copy to any of these bytes; null if there is none.
  const AsyncCopy* under_way(std::uintptr_t address, unsigned size) const;

 private:
  struct Issued {
    std::vector<AsyncCopy> copies;  ///< in order
    std::uint64_t group = 0;        ///< the one that is not committed yet
  };
  struct Bound {
    std::uintptr_t barrier;
    AsyncCopy copy;
  };

  Issued& mine();

  std::vector<Issued> issued_;  ///< by thread; empty until a first copy
  std::vector<Bound> bound_;
  unsigned threads_ = 0;
};

}  // namespace kata::emulator
