#pragma once
// What this OS thread is doing: the first thing that every memory access looks at.

#include <cstdint>

#include "emulator/runtime/count/counts.h"
#include "emulator/runtime/memory/shadow.h"

namespace kata::emulator {

class LoopPath;
class WarpTrace;
class Scheduler;
struct Thread;

/// The running thread's place in the order of accesses, as numbers to compare with marks
/// (races.h).
struct Order {
  std::uint64_t me;  ///< its block, clock and number
  /// Below: made before this launch, or the last grid.sync(), and ordered before it.
  std::uint64_t launch_first;
  std::uint64_t block_first;     ///< clock 0 of its block
  std::uint64_t before_barrier;  ///< above that: made by its block before the last __syncthreads()
  std::uint64_t before_shared;   ///< below, in shared memory: made before that, or by others
  bool is_alone;                 ///< no thread of its block has fenced, or looked at a flag

  // Stamps of words that nothing has written and that have been read by many threads, which this
  // one need not look at again: by lanes of its warp, or warps of its block, since threads of the
  // block last met; by blocks, in this launch or since the last grid.sync().
  ReadStamp read_by_lanes, read_by_warps;
  ReadStamp read_by_blocks;

  void set_me(std::uint64_t now) {
    constexpr unsigned warps = 32;  // of a block, at most
    me = now;
    const auto clock = static_cast<ReadStamp>((me & Mark::clock_mask) >> Mark::clock_low);
    read_by_warps = clock * 2 * warps + warps;
    read_by_lanes = clock * 2 * warps + static_cast<ReadStamp>(me & (Mark::many_bit - 1)) / 32;
  }
};

struct Running {
  Thread* thread;   ///< null: host code
  bool is_checked;  ///< it is a CUDA thread, and its accesses are looked at
  /// Nothing but the stamps of a word needs a look before a plain read.
  bool trusts_stamps;
  std::uintptr_t stack_low;
  std::uintptr_t shared_low;
  std::int64_t quantum;  ///< accesses until the thread must look around
  std::int64_t blocks;   ///< basic blocks until it is seen whether there were accesses, too
  Scheduler* scheduler;
  LoopPath* path;    ///< null: requests are not counted
  WarpTrace* trace;  ///< of its warp; null likewise
  unsigned lane;
  bool is_profiled;
  /// What may let a spinning thread go on and `counts` does not show: stores to the module's own
  /// variables and readings of the clock, less the atomics that left memory as it was.
  std::int64_t progress;
  Counts counts;
  Order order;
};

/// A `stack_low` for which no address is a local variable's.
inline constexpr std::uintptr_t no_stack = ~std::uintptr_t{0};

extern __thread Running running __attribute__((tls_model("initial-exec")));

}  // namespace kata::emulator
