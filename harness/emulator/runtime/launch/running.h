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
  // Stamps of words that nothing has written and that have been read by many threads, which this
  // one need not look at again: by lanes of its warp, or warps of its block, since threads of the
  // block last met; by blocks, in this launch or since the last grid.sync().
  ReadStamp read_by_lanes, read_by_warps;
  ReadStamp read_by_blocks;

  bool is_alone;     ///< no thread of its block has fenced, or looked at a flag
  std::uint64_t me;  ///< its block, clock and number
  /// Below: made before this launch, or the last grid.sync(), and ordered before it.
  std::uint64_t launch_first;
  std::uint64_t block_first;     ///< clock 0 of its block
  std::uint64_t before_barrier;  ///< above that: made by its block before the last __syncthreads()
  std::uint64_t before_shared;   ///< below, in shared memory: made before that, or by others

  static constexpr unsigned warps = 32;  ///< of a block, at most

  void set_me(std::uint64_t now) {
    me = now;
    const auto clock = static_cast<ReadStamp>((me & Mark::clock_mask) >> Mark::clock_low);
    read_by_warps = clock * 2 * warps + warps;
    read_by_lanes = clock * 2 * warps + static_cast<ReadStamp>(me & (Mark::many_bit - 1)) / 32;
  }
  /// The same for another thread of the block.
  void set_thread(unsigned thread) {
    me = (me & ~(Mark::many_bit - 1)) | thread;
    read_by_lanes = read_by_warps - warps + thread / 32;
  }
};

/// No address, nor what people write instead of one, lies within 1 TiB above.
inline constexpr std::uintptr_t nowhere = 0x7a6e'6f77'6865'7264;

/// Begins as host_runs(). Modules know the first of its members (kata_emulator/quick_hooks.h).
struct Running {
  /// Of its block's shared memory, and of device memory, while nothing but the stamps of a word
  /// needs a look before a plain read; else nowhere.
  std::uintptr_t stamped_shared_low, stamped_global_low;
  std::int64_t quantum;  ///< accesses until the thread must look around
  /// Basic blocks until it is seen whether there were accesses, too, while there is nothing else to
  /// do at the start of one; else 0, and `watched_blocks` is that number.
  std::int64_t blocks;
  LoopPath* path;  ///< null: requests are not counted
  Order order;
  Counts counts;

  Thread* thread;   ///< null: host code
  bool is_checked;  ///< it is a CUDA thread, and its accesses are looked at
  std::uintptr_t stack_low;
  std::uintptr_t shared_low;
  std::uintptr_t reach_low, reach_bytes;  ///< device memory that its device may use
  std::int64_t watched_blocks;
  Scheduler* scheduler;
  WarpTrace* trace;  ///< of its warp; null: requests are not counted
  unsigned lane;
  // What closer looks have shown (races.cpp): `who` of a mark of one thread that comes before what
  // this thread does, and of one by its block, of so many threads or more, that does not come
  // before as long as the thread learns nothing new.
  std::uint64_t known, unknown;
  Mark::Many many_unknown;
  bool is_profiled;
  bool leaves_marks;  ///< plain accesses do, for races (Options::marked_accesses)
  /// What may let a spinning thread go on and `counts` does not show: stores to the module's own
  /// variables and readings of the clock, less the atomics that left memory as it was.
  std::int64_t progress;
  std::uintptr_t block_scope;  ///< of the next atomic operation there: __kata_block_scope()

  /// Whether the start of a basic block is of interest but for how many there are.
  bool watches_blocks() const { return path || !is_checked; }

  constexpr void trust_no_stamps() { stamped_shared_low = stamped_global_low = nowhere; }
  void trust_stamps(std::uintptr_t shared) {
    stamped_shared_low = shared;
    stamped_global_low = arena_low;
  }
};

constexpr Running host_runs() {
  Running host{};
  host.trust_no_stamps();
  return host;
}

/// A `stack_low` for which no address is a local variable's.
inline constexpr std::uintptr_t no_stack = ~std::uintptr_t{0};

/// Modules read it under that name; the program itself at a constant distance from %fs.
extern __thread Running running __asm__("__kata_running")
    __attribute__((tls_model("initial-exec"), visibility("default")));

}  // namespace kata::emulator
