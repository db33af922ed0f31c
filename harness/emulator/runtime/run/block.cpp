#include "emulator/runtime/run/block.h"

#include <algorithm>
#include <utility>

#include "emulator/runtime/launch/launch.h"
#include "emulator/runtime/run/cluster.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

/// What is there, and who wrote it last.
Polled polled_at(std::uintptr_t address, unsigned size) {
  const Word word = Word::at(address, size);
  Polled polled{address, word.size, word.bits};
  if (address - arena_low >= arena_bytes) return polled;
  const Mark write = load_mark(&global_shadow(address - arena_low)->write);
  if (write.block() == 0) return polled;
  polled.writer = StreamOrder::instance().work_of(write);
  polled.write = before(write.code());
  return polled;
}

constexpr unsigned all_lanes = 0xffffffffu;

unsigned lanes_of(unsigned threads, unsigned warp) {
  const unsigned here = threads - warp * 32;
  return here >= 32 ? all_lanes : (1u << here) - 1;
}

}  // namespace

void Block::shape(const Launch& launch) {
  block_dim_ = launch.config.block;
  threads_.resize(launch.threads_per_block);
  warps_.resize((launch.threads_per_block + 31) / 32);
  for (unsigned i = 0; i < warps_.size(); ++i) {
    warps_[i].id = i;
    warps_[i].present = lanes_of(launch.threads_per_block, i);
  }
  unsigned id = 0;
  for (unsigned z = 0; z < block_dim_.z; ++z) {
    for (unsigned y = 0; y < block_dim_.y; ++y) {
      for (unsigned x = 0; x < block_dim_.x; ++x, ++id) {
        Thread& thread = threads_[id];
        thread.index = {x, y, z};
        thread.id = id;
        thread.lane = id % 32;
        thread.warp = &warps_[id / 32];
      }
    }
  }
}

void Block::begin(Launch& launch, std::uint64_t order, std::uint64_t index) {
  for (Warp& warp : warps_) running.scheduler->requests().put_back(warp.trace);
  const Triple& wanted = launch.config.block;
  if (wanted.x != block_dim_.x || wanted.y != block_dim_.y || wanted.z != block_dim_.z)
    shape(launch);
  launch_ = &launch;
  order_ = order;
  index_ = index;
  const Triple& grid = launch.config.grid;
  triple_ = {static_cast<unsigned>(index % grid.x), static_cast<unsigned>(index / grid.x % grid.y),
             static_cast<unsigned>(index / grid.x / grid.y)};
  schedule_ = launch.options.schedule;
  random_.state = (launch.options.schedule_seed + index + 1) * 0x9e3779b97f4a7c15u | 1;
  for (Warp& warp : warps_) {
    warp.live = warp.unstarted = warp.present;
    warp.runnable = warp.yielded = warp.ahead = warp.at_barrier = warp.at_operation = 0;
    warp.at_activemask = warp.at_grid = warp.at_count = warp.at_meeting = warp.converged = 0;
  }
  const bool profiled = launch.profiles(order);
  const bool counted = launch.options.count_requests &&
                       (launch.options.profile ? profiled : launch.counts_requests_of(order));
  launch.counted_blocks += counted;
  leaves_marks_ = launch.leaves_marks(order);
  launch.unmarked_blocks += !leaves_marks_;
  paths_.resize(counted ? threads_.size() : 0);
  for (LoopPath& path : paths_) path.begin(running.scheduler->loop_map());
  chains.assign(profiled ? threads_.size() : 0, {});
  live_ = launch.threads_per_block;
  cursor_ = schedule_ == Schedule::reverse ? static_cast<unsigned>(warps_.size()) - 1 : 0;
  awake_ = lanes_of(static_cast<unsigned>(warps_.size()), 0);
  rounds_ = at_grid_ = at_cluster_ = arrived_ = true_predicates_ = 0;
  barrier_place_ = other_barrier_place_ = last_barrier_ = {};
  mixes_kinds_ = false;
  barriers = 0;
  was_overtaken = false;
  cluster_.reset();
  const std::uint64_t first = order - order % launch.cluster_blocks;
  accesses_.begin(launch.first_number + order, launch.threads_per_block,
                  launch.first_number + first, launch.cluster_blocks);
  shared_.prepare(launch.shared, launch.config.shared_bytes);
  copies_.begin(live_);
  async_reads_.begin();
  matrix_reads_.begin();
  bulk_groups_.begin(live_);
  tile_swizzles_.begin();
  split_barriers_.begin();
  mbarriers_.clear();
  looks_ = 0;
  registers_.begin(launch.threads_per_block);
  warpgroups_.begin();
  fibers_.assign(threads_.size(), nullptr);
  next_.lanes = 0;
  if (launch.runner) accesses_.run_beside_others(launch.device, *launch.before);
  if (launch.runner || launch.sample.chosen > 0)
    for (Thread& thread : threads_) thread.poll = {};
}

void Block::look_ahead() {
  Random random = random_;
  next_.awake = awake_;
  next_.lanes = 0;
  unsigned first = next_warp(random), rest = awake_from(first);
  if (!rest) return;
  next_.warp = next_awake(rest, first);
  const Warp& warp = warps_[next_.warp];
  next_.lanes = warp.runnable;
  if (next_.lanes == 0) return;
  next_.lane = choose_lane(next_.lanes, random);
  next_.random_after = random;
  const Thread& thread = lane(warp, next_.lane);
  __builtin_prefetch(&thread, 1);
  __builtin_prefetch(&thread.op, 1);
  constexpr unsigned stack_bytes = 256, line = 64;
  const char* const top = static_cast<const char*>(fiber(thread)->context);
  for (unsigned byte = 0; byte < stack_bytes; byte += line) __builtin_prefetch(top + byte, 1);
}

Thread* Block::pick_in(Warp& warp) {
  if (!(warp.runnable | warp.unstarted)) warp.runnable = std::exchange(warp.ahead, 0);
  unsigned& lanes = warp.runnable ? warp.runnable : warp.unstarted;
  if (!lanes) return nullptr;
  const unsigned chosen = choose_lane(lanes, random_);
  lanes &= ~(1u << chosen);
  return &lane(warp, chosen);
}

/// The lanes of those that are active together with this one. Lanes that a branch or a loop has
/// parted need not have met again: in all schedules but the first some have not.
unsigned Block::active_with(const Warp& warp, unsigned lanes, const Thread& thread) {
  unsigned here = 0;
  bool have_parted = false;
  for (unsigned rest = lanes; rest; rest &= rest - 1) {
    const auto k = static_cast<unsigned>(std::countr_zero(rest));
    if (lane(warp, k).place != thread.place) continue;
    here |= 1u << k;
    have_parted |= lane(warp, k).value != thread.value;
  }
  have_parted |= here != warp.live;
  if (!have_parted || schedule_ == Schedule::forward) return here;
  constexpr unsigned every_third = 0x49249249;
  const unsigned part = schedule_ == Schedule::reverse ? every_third : every_third << 1;
  return here & (thread.bit() & part ? part : ~part);
}

/// Lanes at a full table of requests go on once the warp's others can go no further: the warp is
/// counted then. Else __activemask() answers once the warp's other lanes can go no further.
bool Block::converge(Warp& warp) {
  if (warp.at_count) {
    running.scheduler->requests().count(warp.trace, order_);
    warp.runnable |= std::exchange(warp.at_count, 0);
    return true;
  }
  const unsigned lanes = warp.at_activemask;
  if (!lanes) return false;
  for (unsigned rest = lanes; rest; rest &= rest - 1) {
    Thread& thread = lane(warp, static_cast<unsigned>(std::countr_zero(rest)));
    thread.result = active_with(warp, lanes, thread);
  }
  warp.at_activemask = 0;
  warp.runnable |= lanes;
  return true;
}

Thread* Block::pick_anywhere() {
  cursor_ = next_warp(random_);
  if (Thread* thread = pick_in(warps_[cursor_])) return thread;
  if (Thread* thread = pick_awake()) return thread;
  begin_round();
  if (Thread* thread = pick_awake()) {
    ++rounds_;
    return thread;
  }
  return !cluster_ && answer_looks() ? pick_anywhere() : nullptr;
}

/// Of the first warp that has a lane that can go on.
Thread* Block::pick_awake() {
  // A warp that asks for its active lanes again and again must not keep the others from running.
  constexpr unsigned convergences = 16;
  const unsigned first = cursor_;
  for (unsigned rest = awake_from(first); rest;) {
    const unsigned id = next_awake(rest, first);
    Warp& warp = warps_[id];
    Thread* thread = pick_in(warp);
    if (!thread && !warp.yielded && warp.converged < convergences && converge(warp)) {
      ++warp.converged;
      thread = pick_in(warp);
    }
    if (thread) {
      cursor_ = id;
      return thread;
    }
    if (!warp.is_awake()) awake_ &= ~warp.bit();
  }
  return nullptr;
}

/// All have had their turn, and have it again: were it one warp alone, it could spin for ever on
/// what the others are to do.
void Block::begin_round() {
  for (unsigned rest = awake_; rest; rest &= rest - 1) {
    Warp& warp = warps_[static_cast<unsigned>(std::countr_zero(rest))];
    warp.converged = 0;
    converge(warp);
    warp.runnable |= std::exchange(warp.yielded, 0);
  }
}

void Block::finish(Thread& thread) {
  Warp& warp = *thread.warp;
  if (const Place* store = bulk_groups_.left()) note(*store, thread.id, StoreLeft{});
  warp.live &= ~thread.bit();
  --live_;
  if (live_ == 0) note_partial_registers(running.scheduler->incidents());
  if (warp.live == 0) {
    running.scheduler->requests().count(warp.trace, order_);
    running.scheduler->requests().put_back(warp.trace);
  }
  if (arrived_ > 0 && arrived_ == live_) release_barrier();
  if (warp.at_operation) complete_operations(warp);
  if (cluster_) cluster_->leave(thread);
}

// ---- the warp's operations

void Block::arrive_at_activemask(Thread& thread, const Place& place, std::int64_t way) {
  thread.place = place;
  thread.value = static_cast<std::uint64_t>(way);
  thread.warp->at_activemask |= thread.bit();
  awake_ |= thread.warp->bit();
}

/// Its mask does not name it: alone, it does not wait.
void Block::leave_mask(Thread& thread) {
  note(thread.place, thread.id, MaskWithoutCaller{thread.op, thread.mask});
  thread.mask = thread.bit();
}

/// All lanes that `thread` names have arrived. True if they are at the same operation; they are
/// runnable then, or ahead.
bool Block::complete_operation(Warp& warp, const Thread& thread, unsigned participants) {
  bool have_parted = false;
  for (unsigned rest = participants; rest; rest &= rest - 1) {
    const Thread& other = lane(warp, static_cast<unsigned>(std::countr_zero(rest)));
    if (other.mask != thread.mask || other.op != thread.op) return false;
    have_parted |= other.loops_left != thread.loops_left;
  }
  if (have_parted) [[unlikely]]
    check_loops(warp, thread, participants);
  const bool may_read_nobody = thread.op <= WarpOp::shfl_xor && participants != ~0u;
  if (thread.mask & warp.present & ~warp.live || may_read_nobody) [[unlikely]]
    check_mask(warp, thread, participants);
  answer_warp_operation(&lane(warp, 0), participants);
  if (thread.op <= WarpOp::shfl_xor) accesses_.exchange(warp.id, participants);
  if (is_vote(thread.op)) accesses_.vote(warp.id, participants);
  if (thread.op == WarpOp::sync) accesses_.meet(warp.id, participants, participants == warp.live);
  // Tensor cores and ldmatrix: what they cost is counted where they are.
  if (!chains.empty() && thread.op != WarpOp::collective)
    Profiler::meet(&chains[warp.id * 32], participants);
  const bool all = participants == warp.live;
  if (all) running.scheduler->requests().count(warp.trace, order_);
  warp.at_operation &= ~participants;
  (all || !warp.trace ? warp.runnable : warp.ahead) |= participants;
  awake_ |= warp.bit();
  return true;
}

void Block::complete_operations(Warp& warp) {
  for (unsigned rest = warp.at_operation; rest; rest &= rest - 1) {
    const unsigned k = static_cast<unsigned>(std::countr_zero(rest));
    const Thread& thread = lane(warp, k);
    const unsigned participants = thread.mask & warp.live;
    if (warp.at_operation >> k & 1 && (participants & ~warp.at_operation) == 0)
      complete_operation(warp, thread, participants);
  }
}

/// A lane that has returned takes part no more: its value in a shuffle is undefined, as is that of
/// one that the mask or the block does not have.
void Block::check_mask(const Warp& warp, const Thread& thread, unsigned participants) {
  const unsigned gone = thread.mask & warp.present & ~warp.live;
  using enum ShuffleFromNobody::Why;
  for (unsigned rest = participants; rest && thread.op <= WarpOp::shfl_xor; rest &= rest - 1) {
    const Thread& reader = lane(warp, static_cast<unsigned>(std::countr_zero(rest)));
    const unsigned source = shuffle_source(reader);
    if (participants >> source & 1) continue;
    const auto why = gone >> source & 1           ? exited
                     : warp.present >> source & 1 ? not_in_mask
                                                  : not_in_block;
    note(reader.place, reader.id, ShuffleFromNobody{thread.op, source, why});
    if (why == exited) return;
  }
  if (gone) note(thread.place, thread.id, MaskExited{thread.op, gone});
}

/// Since the operation before, in which they took part with the same mask, some have left a loop
/// round such operations and others have not: these are in another turn of a loop round it, or
/// elsewhere.
void Block::check_loops(const Warp& warp, const Thread& thread, unsigned participants) {
  unsigned most = 0, lanes = 0;
  for (unsigned rest = participants; rest; rest &= rest - 1) {
    const Thread& other = lane(warp, static_cast<unsigned>(std::countr_zero(rest)));
    if (other.last_mask != thread.mask) return;
    if (other.loops_left > most) lanes = 0;
    most = std::max(most, other.loops_left);
    if (other.loops_left == most) lanes |= other.bit();
  }
  note(thread.place, thread.id, MaskElsewhere{thread.op, thread.mask, lanes});
}

// ---- deadlock

bool Block::stuck() const {
  // Another block of its cluster may yet release its threads.
  return live_ > 0 && !at_grid() && !cluster_ && idle();
}

bool Block::idle() const {
  for (const Warp& warp : warps_) {
    if (warp.runnable | warp.unstarted | warp.yielded | warp.ahead) return false;
  }
  return true;
}

const Thread* Block::first_of(unsigned Warp::*set) const {
  for (const Warp& warp : warps_) {
    if (warp.*set)
      return &threads_[warp.id * 32 + static_cast<unsigned>(std::countr_zero(warp.*set))];
  }
  return nullptr;
}

void Block::note_partial_registers(IncidentLog& log) const {
  for (const RegisterPool::Step& step : registers_.incomplete())
    log.add(incident(step.place, step.thread, RegistersPartial{step.threads, step.warps}));
}

Incident Block::deadlock() const {
  const auto mbarrier_of = [&](const Thread& thread) {
    const auto found =
        waits_at(thread) == WaitsAt::mbarrier ? mbarriers_.find(thread.meeting) : mbarriers_.end();
    return found == mbarriers_.end() ? nullptr : &found->second;
  };
  // How much a wait says of the cause: most, one for registers, or for a phase that has begun.
  const auto says = [&](const Thread& thread) {
    if (!(thread.warp->at_meeting & thread.bit())) return 0;
    if (thread.meeting_kind == WaitsAt::registers) return 3;
    const Mbarrier* const barrier = mbarrier_of(thread);
    return !barrier ? 0 : barrier->has_begun() ? 2 : 1;
  };
  const auto most =
      std::max_element(threads_.begin(), threads_.end(),
                       [&](const Thread& a, const Thread& b) { return says(a) < says(b); });
  const Thread* first = most != threads_.end() && says(*most) > 0 ? &*most : nullptr;
  const Thread* second = nullptr;
  for (auto set : {&Warp::at_barrier, &Warp::at_operation, &Warp::at_grid, &Warp::at_meeting}) {
    const Thread* thread = first_of(set);
    if (!first) {
      first = thread;
    } else if (!second && thread != first) {
      second = thread;
    }
  }
  // Two groups of one kind: another place or another mask.
  for (const Thread& thread : threads_) {
    if (!second && first && (thread.warp->live & thread.bit()) && thread.place != first->place)
      second = &thread;
  }
  Deadlock fault{.exited = threads_.size() - live_};
  if (first) {
    fault.at = waits_at(*first);
    fault.op = first->op;
    if (const Mbarrier* const barrier = mbarrier_of(*first)) fault.missing = barrier->missing();
  }
  if (second) {
    fault.other = second->place;
    fault.other_thread = second->id;
    if (const Mbarrier* const barrier = mbarrier_of(*second))
      fault.other_missing = std::make_shared<const MissingPhase>(barrier->missing());
  }
  return incident(first ? first->place : Place{}, first ? first->id : 0, fault);
}

WaitsAt Block::waits_at(const Thread& thread) const {
  const Warp& warp = *thread.warp;
  if (warp.at_operation & thread.bit()) return WaitsAt::warp_operation;
  if (warp.at_grid & thread.bit()) return WaitsAt::grid_barrier;
  return warp.at_meeting & thread.bit() ? thread.meeting_kind : WaitsAt::block_barrier;
}

Incident Block::never_resident(std::uint64_t capacity) const {
  const Thread* thread = first_of(&Warp::yielded);
  const Thread* runnable = first_of(&Warp::runnable);
  if (!thread || (runnable && runnable->id < thread->id)) thread = runnable;
  return incident(thread ? thread->place : Place{}, thread ? thread->id : 0,
                  NeverResident{capacity});
}

const Thread* Block::spinning() const {
  const Thread* found = nullptr;
  for (const Thread& thread : threads_) {
    if (!((thread.warp->yielded | thread.warp->runnable) & thread.bit())) continue;
    if (!found || (found->poll.address == 0 && thread.poll.address != 0)) found = &thread;
  }
  return found;
}

Incident Block::waits_for_others(WaitsForOthers fault) const {
  const Thread& thread = *spinning();
  const Thread::Poll& poll = thread.poll;
  if (poll.address == 0) return incident(thread.place, thread.id, fault);
  fault.polled = polled_at(poll.address, poll.size);
  return incident(before(poll.code), thread.id, fault);
}

Incident Block::incident(const Place& place, unsigned thread, const Fault& fault) const {
  return {.place = place, .fault = fault, .order = order_, .block = index_, .thread = thread};
}

void Block::note(const Place& place, unsigned thread, const Fault& fault) {
  running.scheduler->incidents().add(incident(place, thread, fault));
}

}  // namespace kata::emulator
