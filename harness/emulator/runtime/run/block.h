#pragma once
// A block of CUDA threads, their warps, and who waits for what.

#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/abi.h"
#include "emulator/emulator.h"
#include "emulator/runtime/count/lanes.h"
#include "emulator/runtime/count/loop_path.h"
#include "emulator/runtime/count/profiler.h"
#include "emulator/runtime/launch/incident.h"
#include "emulator/runtime/launch/order.h"
#include "emulator/runtime/memory/shared_memory.h"
#include "emulator/runtime/run/async_reads.h"
#include "emulator/runtime/run/bulk_groups.h"
#include "emulator/runtime/run/copy_queue.h"
#include "emulator/runtime/run/fiber.h"
#include "emulator/runtime/run/matrix_reads.h"
#include "emulator/runtime/run/mbarriers.h"
#include "emulator/runtime/run/register_pool.h"
#include "emulator/runtime/run/split_barriers.h"
#include "emulator/runtime/run/tile_swizzles.h"
#include "emulator/runtime/run/warpgroups.h"

namespace kata::emulator {

class Block;
struct Warp;
class WarpTrace;
struct Launch;
class Cluster;

struct alignas(64) Thread {
  Triple index;
  unsigned id = 0;
  unsigned lane = 0;
  Warp* warp = nullptr;

  // What it waits for, or waited for last.
  Place place;
  WarpOp op = WarpOp::sync;
  unsigned mask = 0;
  std::uint64_t value = 0;
  int argument = 0;
  int width = 32;
  std::uint64_t result = 0;
  /// Of its fiber; no_stack while accesses to its local variables are looked at, too.
  std::uintptr_t stack_low = 0;
  std::uintptr_t meeting = 0;  ///< which barrier of some of the threads
  WaitsAt meeting_kind = WaitsAt::named_barrier;

  /// What it has looked at last that another launch may write; kept beside other launches.
  struct Poll {
    std::uintptr_t address = 0;
    unsigned size = 0;
    const void* code = nullptr;
  } poll;

  unsigned operations = 0;  ///< of its warp in which it took part
  unsigned loops_left = 0;  ///< round the last of these, since then
  unsigned last_mask = 0;   ///< of that

  bool looks = false;           ///< at an mbarrier that it does not wait for for ever
  bool looked_in_vain = false;  ///< until no other thread could go on

  unsigned bit() const { return 1u << lane; }
};

/// Lanes by what they do. A lane that runs is live and in none of the other sets.
struct alignas(64) Warp {
  unsigned id = 0;
  unsigned present = 0;  ///< lanes that the block has here
  unsigned live = 0;     ///< have not returned
  unsigned unstarted = 0;
  unsigned runnable = 0;
  unsigned yielded = 0;  ///< runnable, once others have had their turn
  /// Runnable, once the warp's others can go no further: what its tiles do is one request then, as
  /// on a device, which runs them in step.
  unsigned ahead = 0;
  unsigned at_barrier = 0;
  unsigned at_operation = 0;  ///< __shfl_sync, __syncwarp, ...
  unsigned at_activemask = 0;
  unsigned at_grid = 0;
  unsigned at_meeting = 0;     ///< of some of the block's threads: bar.sync 1, 64, cuda::barrier
  unsigned at_count = 0;       ///< until the requests so far are counted
  unsigned converged = 0;      ///< times that __activemask was answered while other warps waited
  WarpTrace* trace = nullptr;  ///< requests that are not counted yet; null: none are

  unsigned bit() const { return 1u << id; }
  /// Whether a search for the next lane changes anything here.
  bool is_awake() const {
    return (runnable | unstarted | ahead | yielded | at_activemask | at_count | converged) != 0;
  }
};

/// A source of choices for Schedule::random.
struct Random {
  std::uint64_t state = 1;
  unsigned below(unsigned limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<unsigned>((state >> 32) * limit >> 32);
  }
};

class Block {
 public:
  /// Block `index` of the grid, `order`th in the schedule, with no thread begun.
  void begin(Launch& launch, std::uint64_t order, std::uint64_t index);

  /// The thread that goes on next, which runs from now on; null if none can, for now or for good.
  Thread* pick() {
    const Choice choice = next_;
    next_.lanes = 0;
    if (choice.lanes == 0 || choice.awake != awake_ || warps_[choice.warp].runnable != choice.lanes)
      return pick_anywhere();
    cursor_ = choice.warp;
    random_ = choice.random_after;
    warps_[cursor_].runnable &= ~(1u << choice.lane);
    return &lane(warps_[cursor_], choice.lane);
  }

  /// The __syncthreads() that its threads met at last.
  const Place& last_barrier() const { return last_barrier_; }

  /// Finds what pick() will most likely answer, while others run: then its stack is in the first
  /// cache. It depends on nothing but which warps are awake, and which lanes of one are runnable.
  void look_ahead();

  /// Null: it has not begun. Apart from the threads: a switch to one needs this first.
  Fiber*& fiber(const Thread& thread) { return fibers_[&thread - threads_.data()]; }

  // The running thread's part in a meeting. True: all have arrived, and no thread waits.
  /// thread.place is the barrier's.
  bool arrive_at_barrier(Thread& thread, BarrierKind kind, bool predicate);
  bool arrive_at_operation(Thread& thread) {
    Warp& warp = *thread.warp;
    if (!(thread.mask & thread.bit())) [[unlikely]]
      leave_mask(thread);
    warp.at_operation |= thread.bit();
    const unsigned participants = thread.mask & warp.live;
    if ((warp.at_operation & participants) != participants) return false;
    if (!complete_operation(warp, thread, participants) || !(warp.runnable & thread.bit()))
      return false;
    warp.runnable &= ~thread.bit();
    return true;
  }
  void arrive_at_activemask(Thread& thread, const Place& place, std::int64_t way);
  void arrive_at_grid(Thread& thread, const Place& place);
  void arrive_at_count(Thread& thread, const Place& place);
  void arrive_at_meeting(Thread& thread, std::uintptr_t meeting, WaitsAt kind, const Place& place);
  void release_meeting(std::uintptr_t meeting);
  /// It waits for the mbarrier; `looks`: until answer_looks() at the latest.
  void arrive_at_mbarrier(Thread& thread, std::uintptr_t mbarrier, bool looks, const Place& place);
  /// Some mbarrier has changed: who looks at one may hope again.
  void forget_looks() { looks_ = 0; }
  /// No thread of the block, or of its cluster, can go on: those that only look at an mbarrier
  /// learn that its phase is not complete, and do something else. Not again and again: a loop round
  /// the look is a wait. False: there are none.
  bool answer_looks();
  void arrive_at_cluster(Thread& thread, const Place& place);
  void release_cluster();
  void yield(Thread& thread) {
    thread.warp->yielded |= thread.bit();
    awake_ |= thread.warp->bit();
  }
  void finish(Thread& thread);

  int barrier_result(BarrierKind kind) const { return released_[static_cast<unsigned>(kind)]; }
  void release_grid();

  bool finished() const { return live_ == 0; }
  bool idle() const;  ///< no thread can go on, for now or for good
  bool at_grid() const { return at_grid_ > 0 && at_grid_ == live_; }
  bool at_cluster() const { return at_cluster_ == live_; }
  bool stuck() const;  ///< no thread can ever go on
  Incident deadlock() const;
  /// Each setmaxnreg that only a part of its warpgroup has executed.
  void note_partial_registers(IncidentLog& log) const;
  /// Of its first thread that waits for no other of the block: it spins, on a block that has not
  /// begun since the device holds only `capacity` blocks at once.
  Incident never_resident(std::uint64_t capacity) const;
  /// A thread that waits for no other of the block, one that has looked at what others may write if
  /// there is such; null: there is none.
  const Thread* spinning() const;
  /// Of that thread.
  Incident waits_for_others(WaitsForOthers fault) const;
  /// As it happens to that thread.
  Incident incident(const Place& place, unsigned thread, const Fault& fault) const;

  /// Rounds in which every thread had its turn and none waits for another: it spins.
  unsigned rounds() const { return rounds_; }
  void forget_rounds() { rounds_ = 0; }

  /// Null: its cluster is the block alone.
  Cluster* cluster() const { return cluster_.get(); }
  void join(std::shared_ptr<Cluster> cluster) { cluster_ = std::move(cluster); }

  Launch& launch() { return *launch_; }
  std::uint64_t order() const { return order_; }
  std::uint64_t index() const { return index_; }
  Triple triple() const { return triple_; }
  SharedMemory& shared() { return shared_; }
  BlockOrder& accesses() { return accesses_; }
  CopyQueue& copies() { return copies_; }
  AsyncReads& async_reads() { return async_reads_; }
  MatrixReads& matrix_reads() { return matrix_reads_; }
  BulkGroups& bulk_groups() { return bulk_groups_; }
  TileSwizzles& tile_swizzles() { return tile_swizzles_; }
  SplitBarriers& split_barriers() { return split_barriers_; }
  Mbarriers& mbarriers() { return mbarriers_; }
  RegisterPool& registers() { return registers_; }
  Warpgroups& warpgroups() { return warpgroups_; }
  const std::vector<Thread>& threads() const { return threads_; }
  const std::vector<Warp>& warps() const { return warps_; }
  bool counts_requests() const { return !paths_.empty(); }
  bool leaves_marks() const { return leaves_marks_; }
  /// Where requests are counted.
  LoopPath* path(const Thread& thread) { return &paths_[thread.id]; }

  std::uint64_t barriers = 0;  ///< completed
  bool was_overtaken = false;  ///< Scheduler::let_others_overtake()
  std::vector<Chain> chains;   ///< by thread; none if nothing is profiled

 private:
  void shape(const Launch& launch);
  unsigned next_warp(Random& random) const {
    return schedule_ == Schedule::random ? random.below(static_cast<unsigned>(warps_.size()))
                                         : cursor_;
  }
  unsigned choose_lane(unsigned lanes, Random& random) const {
    if (schedule_ == Schedule::random) return nth_lane(lanes, random.below(count_lanes(lanes)));
    return static_cast<unsigned>(schedule_ == Schedule::forward ? std::countr_zero(lanes)
                                                                : 31 - std::countl_zero(lanes));
  }
  bool goes_backwards() const { return schedule_ == Schedule::reverse; }
  /// The awake warps, the lowest bit's or the highest one's first: this one, those after it, and
  /// round.
  unsigned awake_from(unsigned warp) const {
    return std::rotr(awake_, static_cast<int>(goes_backwards() ? warp + 1 : warp));
  }
  /// Takes out one of those.
  unsigned next_awake(unsigned& rest, unsigned warp) const {
    const int at = goes_backwards() ? 31 - std::countl_zero(rest) : std::countr_zero(rest);
    rest &= ~(1u << at);
    return (static_cast<unsigned>(at) + warp + goes_backwards()) % 32;
  }
  Thread* pick_in(Warp& warp);
  Thread* pick_anywhere();
  Thread* pick_awake();
  void begin_round();
  void wake(Warp& warp, unsigned lanes) {
    warp.runnable |= lanes;
    awake_ |= warp.bit();
  }
  unsigned active_with(const Warp& warp, unsigned lanes, const Thread& thread);
  bool converge(Warp& warp);
  void release_barrier();
  void note_barrier();
  bool meets_at_one_place(const Warp& warp) const;
  void leave_mask(Thread& thread);
  bool complete_operation(Warp& warp, const Thread& thread, unsigned participants);
  void complete_operations(Warp& warp);
  void check_mask(const Warp& warp, const Thread& thread, unsigned participants);
  void check_loops(const Warp& warp, const Thread& thread, unsigned participants);
  Thread& lane(const Warp& warp, unsigned lane) { return threads_[warp.id * 32 + lane]; }
  const Thread& lane(const Warp& warp, unsigned lane) const {
    return threads_[warp.id * 32 + lane];
  }
  const Thread* first_of(unsigned Warp::*set) const;
  void note(const Place& place, unsigned thread, const Fault& fault);
  WaitsAt waits_at(const Thread& thread) const;

  Launch* launch_ = nullptr;
  std::uint64_t order_ = 0, index_ = 0;
  bool leaves_marks_ = true;
  Triple triple_{};
  Triple block_dim_{0, 0, 0};
  Schedule schedule_ = Schedule::forward;
  Random random_;
  struct Choice {
    unsigned warp, lane;
    unsigned lanes;  ///< of the warp that were runnable; 0: there is no choice yet
    unsigned awake;  ///< warps
    Random random_after;
  } next_;  ///< see look_ahead()

  std::vector<Thread> threads_;
  std::vector<Fiber*> fibers_;  ///< by thread
  std::vector<Warp> warps_;
  std::vector<LoopPath> paths_;  ///< of each thread; none if requests are not counted
  SharedMemory shared_;
  BlockOrder accesses_;
  CopyQueue copies_;
  AsyncReads async_reads_;
  MatrixReads matrix_reads_;
  BulkGroups bulk_groups_;
  TileSwizzles tile_swizzles_;
  SplitBarriers split_barriers_;
  Mbarriers mbarriers_;
  unsigned looks_ = 0;  ///< rounds of answer_looks() since an mbarrier changed
  RegisterPool registers_;
  Warpgroups warpgroups_;
  std::shared_ptr<Cluster> cluster_;

  unsigned live_ = 0;
  unsigned cursor_ = 0;  ///< the warp that runs
  /// Warps, one bit each: the others have no lane that could go on now or with its warp.
  unsigned awake_ = 0;
  unsigned rounds_ = 0;
  unsigned at_grid_ = 0;
  unsigned at_cluster_ = 0;

  // The barrier that threads gather at, and what the last one answered.
  unsigned arrived_ = 0;
  unsigned true_predicates_ = 0;
  BarrierKind barrier_kind_{};
  bool mixes_kinds_ = false;
  Place barrier_place_, other_barrier_place_, last_barrier_;
  unsigned barrier_thread_ = 0, other_barrier_thread_ = 0;
  int released_[4] = {};
};

/// What a lane hands to WarpOp::collective, as the address of one: `run` is called once, when all
/// have come, with what each lane gave. Null: no such lane takes part.
struct Collective {
  void (*run)(Collective* const lanes[32]);
};

/// What the running lanes of a complete warp operation get. `lanes` points to the warp's threads.
void answer_warp_operation(Thread* lanes, unsigned participants);
/// The lane that this lane of a shuffle reads.
unsigned shuffle_source(const Thread& reader);

}  // namespace kata::emulator
