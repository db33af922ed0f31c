#pragma once
// Copies from global to shared memory that go on while the thread does other things (cp.async). A
// device may deliver them at any time up to the wait; here they arrive at the wait, and until then
// nobody may touch where they go.

#include <cstdint>
#include <vector>

#include "emulator/runtime/memory/event.h"

namespace kata::emulator {

/// The copies of one block's threads that have not arrived.
class AsyncCopies {
 public:
  /// Of a new block: none.
  void begin(unsigned threads);

  // Called by the running thread. `code` is the address that the copy's call returns to.

  /// Reads `source_bytes` of the 4, 8 or 16 bytes; zeros fill the rest. `past_l1`: of 16 alone.
  void issue(std::uintptr_t to, std::uintptr_t from, unsigned bytes, unsigned source_bytes,
             bool past_l1, const void* code);
  /// The copies since the last commit become a group.
  void commit();
  /// All groups but the latest ones arrive. Copies that belong to no group yet do not.
  void wait(unsigned groups_left);
  void wait_for_all();

  /// The copies that belong to no group arrive with that phase of a barrier.
  void bind(std::uintptr_t barrier, std::uint64_t phase);
  /// Every thread's copies that are bound to that phase or an earlier one arrive.
  void arrive_with(std::uintptr_t barrier, std::uint64_t phase);

  /// The running thread touches bytes that a copy is on its way to.
  void touched(std::size_t offset, unsigned size, bool is_write, const void* code) const;

 private:
  struct Copy {
    std::uintptr_t to, from;
    unsigned bytes, source_bytes;
    const void* code;
    std::uint64_t group;  ///< of its thread, or the phase of its barrier
  };
  struct Issued {
    std::vector<Copy> copies;  ///< in order
    std::uint64_t group = 0;   ///< the one that is not committed yet
  };
  struct Bound {
    std::uintptr_t barrier;
    Copy copy;
  };

  Issued& mine();
  static void deliver(const Copy& copy);
  static void record(const Copy& copy, bool past_l1);
  static void count_store(const Copy& copy);
  static void arrive_first(Issued& issued, std::size_t count);

  std::vector<Issued> issued_;  ///< by thread; empty until a first copy
  std::vector<Bound> bound_;
  unsigned threads_ = 0;
};

}  // namespace kata::emulator
