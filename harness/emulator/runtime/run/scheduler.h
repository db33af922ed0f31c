#pragma once
// An OS thread that runs blocks: it switches between their CUDA threads.

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "emulator/runtime/count/loop_path.h"
#include "emulator/runtime/count/profiler.h"
#include "emulator/runtime/count/requests.h"
#include "emulator/runtime/launch/equal_writes.h"
#include "emulator/runtime/launch/launch.h"
#include "emulator/runtime/launch/running.h"
#include "emulator/runtime/run/block.h"
#include "emulator/runtime/run/runner.h"

namespace kata::emulator {

/// Accesses after which a thread lets others run, so that one that spins on another does not spin
/// for ever; and the price, in accesses, of an operation that spinning is made of.
inline constexpr std::int64_t quantum = 1 << 15;
inline constexpr std::int64_t spin_price = 16;
/// What the lanes of a warp use up together, before one of them looks around.
inline constexpr std::int64_t warp_quantum = 32 * quantum;
inline constexpr std::uint64_t work_between_checks = 1 << 20;
/// The price of a look at what another thread may write, where launches wait for each other: more
/// of them would be in vain.
inline constexpr std::int64_t price_of_poll = quantum / 32;
/// Atomic accesses in turn, of one thread to one address, that change nothing.
inline constexpr unsigned looks_of_a_turn = 8;
/// Basic blocks; without an access among them, two are as much work as one access.
inline constexpr std::int64_t blocks_between_looks = 1 << 22;

/// Thrown by what ends one thread of a kernel before its end (PTX `exit`).
struct ThreadExit {};

class Scheduler {
 public:
  /// None goes on for long: see end_launches().
  inline static std::atomic<bool> launches_end = false;

  /// Runs blocks of the launch until none is left.
  void run(Launch& launch);

  /// Runs all blocks of a cooperative launch, every one resident until the end.
  void run_cooperative(Launch& launch);

  IncidentLog& incidents() { return incidents_; }
  Block& block() { return *block_; }
  Launch& launch() { return block_->launch(); }
  const Fibers& fibers() const { return fibers_; }
  Requests& requests() { return requests_; }
  Profiler& profiler() { return profiler_; }
  LoopMap& loop_map() { return loop_map_; }
  EqualWrites& equal_writes() { return equal_writes_; }
  std::set<const void*>& confirmed_reads() { return confirmed_reads_; }

  // Called by the running CUDA thread.

  /// It is about to meet others: what it has just done to memory is over.
  void settle() {
    if (!equal_writes_.empty()) equal_writes_.settle(incidents_);
    if (!running.order.is_alone) block_->accesses().has_looked(running.thread->id, *launch().flags);
  }
  /// Accesses to its local variables are looked at, too: some are registers that wgmma writes.
  void watch_locals(bool watch);
  /// It waits (as the block knows, or the meeting is complete): others run until it may go on.
  void wait();
  /// It is at a barrier of its block.
  static int meet_block(BarrierKind kind, bool predicate, const char* file, int line_and_counter);
  /// Its part in a warp operation, which completes when all live lanes of `mask` have come.
  static std::uint64_t meet_warp(WarpOp op, unsigned mask, std::uint64_t value, int argument,
                                 int width, const void* return_address);
  /// It asks which lanes of its warp are active.
  void meet_active(const Place& place);
  /// It has read a word that other blocks may write.
  void has_read_flag(const Thread::Poll& poll) {
    const std::uint64_t now = running.counts.accesses();
    const bool is_same = std::exchange(running.thread->poll, poll).address == poll.address;
    vain_flags_ = is_same && now == last_flag_ + 1 ? vain_flags_ + 1 : 0;
    last_flag_ = now;
  }
  /// It has used up its quantum.
  void look_around(const Place& place);
  /// It has looked at what other launches may write.
  void has_polled() {
    running.quantum -= price_of_poll;
    polls_ += price_of_poll;
    turn_polls_ += price_of_poll;
  }
  /// It has entered many basic blocks: a loop without accesses must come to the launch's limit.
  void look_for_accesses(const Place& place);
  /// It has just made an atomic access to global memory: in one schedule the blocks that come later
  /// overtake its block there, once.
  void let_others_overtake() {
    if (overtaking_ && !std::exchange(block_->was_overtaken, true)) [[unlikely]]
      be_overtaken();
  }
  /// Its atomic access to global memory has left what was there.
  void has_looked_in_vain(std::uintptr_t address) {
    const bool is_same = in_vain_.address == address && in_vain_.thread == running.thread;
    in_vain_ = {address, running.thread, is_same ? in_vain_.looks + 1 : 1};
    if (!launch().runner) has_read_flag({.address = address});
  }
  /// It has done so again and again at this address: others run before it looks once more.
  bool spins_on(std::uintptr_t address) {
    if (in_vain_.looks < looks_of_a_turn || in_vain_.address != address) return false;
    in_vain_ = {};
    return true;
  }
  /// It goes on when its warp's requests so far have been counted.
  void wait_for_warp(const Place& place);
  /// Starts the launch again with clusters of that shape, unless it has them.
  void ask_for_clusters(Triple shape);
  /// Records what ended the launch, and ends it. `error` is what the CUDA runtime will report.
  [[noreturn]] void abort(const Incident& incident, int error);

  /// Ends the running block, or its cluster, alone: what it did so far is part of a sample.
  [[noreturn]] void end_early();

  /// The fault as it happens to the running thread.
  Incident incident(const Place& place, const Fault& fault) const;
  /// The access to the shared memory that the running thread looks at: its block's, or another's.
  SharedAccess shared_access(std::uintptr_t offset, unsigned size, Access how) const;

 private:
  static void fiber_body();
  [[noreturn]] void run_threads();
  void give_way(Thread& me);
  void be_overtaken();
  /// The block's other threads go on in its next turn.
  void end_turn(const Place& place);
  Fiber* fiber_of(Thread& thread);
  void enter(Thread& thread);
  WarpTrace* trace_of(Warp& warp);
  void account();
  bool turn_is_over() const;
  std::uint64_t progress(const Launch& launch) const;
  void check_limits(const Place& place);
  bool waits_for_unbegun() const;
  void check_stack();
  /// The block cannot go on.
  [[noreturn]] void abort_stuck();
  [[noreturn]] void abandon();

  void begin(Launch& launch);
  bool none_left(const Launch& launch) const;
  bool admit(Launch& launch);
  void resume(Block& block);
  bool run_resident();
  bool admit_more(Launch& launch);
  bool spins() const;
  void note_turn(Launch& launch, bool has_got_on, std::uint64_t since);
  bool share(Launch& launch);
  bool wait_for_room(Launch& launch);
  void end_in_wait(Launch& launch);
  void end_waiting(Launch& launch);
  void drop_resident(Launch& launch);
  void end(Launch& launch);

  Fibers fibers_{&Scheduler::fiber_body};
  std::vector<std::unique_ptr<Block>> blocks_;  ///< all that were ever needed
  std::vector<Block*> spare_, resident_;
  Block* block_ = nullptr;      ///< whose threads run
  Thread* starting_ = nullptr;  ///< for the fiber that is switched to
  bool aborted_ = false;
  /// Blocks that are resident together, though none waits for another; 0: the launch has none such.
  std::size_t overtaking_ = 0;
  bool gives_way_ = false;           ///< the present block: later ones overtake it
  bool ended_early_ = false;         ///< the present block: others go on
  std::uint64_t most_work_;          ///< until limits are looked at
  std::uint64_t work_ = 0;           ///< not yet added to the launch's
  std::uint64_t accesses_seen_ = 0;  ///< by look_for_accesses()
  std::int64_t quantum_ = quantum;
  std::int64_t turn_price_ = 0;  ///< of the block's present turn, in accesses
  std::int64_t turn_polls_ = 0;  ///< that of polls
  std::uint64_t polls_ = 0;      ///< the same, as part of `work_`: it is none
  struct {
    std::uintptr_t address = 0;
    const Thread* thread = nullptr;
    unsigned looks = 0;
  } in_vain_;
  std::uint64_t last_flag_ = 0;    ///< all accesses that there were when a flag was read
  std::uint64_t vain_flags_ = 0;   ///< reads of flags, by threads that have read them, and no more
  bool all_spin_ = true;           ///< the resident blocks, in their latest turns
  bool idles_ = false;             ///< one has made no access in its turn, and is not over
  unsigned quiet_ = 0;             ///< turns without progress
  bool got_on_ = false;            ///< since others had their turn
  std::uint64_t share_began_ = 0;  ///< the launch's work when others had their turn
  std::int64_t next_look_ = 0;     ///< the price at which a lane in warp operations looks around
  std::uint64_t ended_accesses_ = 0;  ///< all that there were when a block ended
  std::uint64_t turn_accesses_ = 0;   ///< all that there were when it began
  unsigned switches_ = 0;
  std::uint64_t barriers_ = 0;
  IncidentLog incidents_;
  Requests requests_;
  Profiler profiler_;
  LoopMap loop_map_;
  EqualWrites equal_writes_;
  std::set<const void*> confirmed_reads_;
};

/// The kernel that this OS thread runs does what a later launch of it has to do again.
inline void forbid_repeats() {
  if (!running.thread) return;
  auto& repeatable = running.scheduler->launch().is_repeatable;
  if (repeatable) repeatable = false;  // all threads of the pool read it: few writes
}

}  // namespace kata::emulator
