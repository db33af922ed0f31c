// What a block's threads wait for: its barrier, the grid's and the cluster's.

#include <algorithm>

#include "emulator/runtime/launch/launch.h"
#include "emulator/runtime/run/block.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {

// ---- barriers

bool Block::arrive_at_barrier(Thread& thread, BarrierKind kind, bool predicate) {
  const Place& place = thread.place;
  if (arrived_ == 0) {
    barrier_place_ = place;
    barrier_thread_ = thread.id;
    barrier_kind_ = kind;
  } else if (place != barrier_place_ && other_barrier_place_ == Place{}) {
    other_barrier_place_ = place;
    other_barrier_thread_ = thread.id;
  }
  mixes_kinds_ |= kind != barrier_kind_;
  true_predicates_ += predicate;
  thread.warp->at_barrier |= thread.bit();
  if (++arrived_ < live_) return false;
  release_barrier();
  thread.warp->runnable &= ~thread.bit();
  return true;
}

void Block::release_barrier() {
  Profiler::meet_all(chains);
  if (arrived_ < threads_.size() || other_barrier_place_ != Place{}) note_barrier();
  released_[static_cast<unsigned>(BarrierKind::count)] = static_cast<int>(true_predicates_);
  released_[static_cast<unsigned>(BarrierKind::and_)] = true_predicates_ == arrived_;
  released_[static_cast<unsigned>(BarrierKind::or_)] = true_predicates_ > 0;
  for (Warp& warp : warps_) {
    wake(warp, std::exchange(warp.at_barrier, 0));
    running.scheduler->requests().count(warp.trace, order_);
  }
  accesses_.meet_all();
  arrived_ = true_predicates_ = 0;
  other_barrier_place_ = {};
  mixes_kinds_ = false;
  last_barrier_ = barrier_place_;
  ++barriers;
}

bool Block::meets_at_one_place(const Warp& warp) const {
  const Place* first = nullptr;
  for (unsigned rest = warp.at_barrier; rest; rest &= rest - 1) {
    const Place& place = lane(warp, static_cast<unsigned>(std::countr_zero(rest))).place;
    if (first && place != *first) return false;
    first = &place;
  }
  return true;
}

void Block::note_barrier() {
  if (other_barrier_place_ != Place{}) {
    note(barrier_place_, barrier_thread_,
         BarrierMixed{other_barrier_place_, other_barrier_thread_,
                      !mixes_kinds_ && std::ranges::all_of(warps_, [&](const Warp& warp) {
                        return meets_at_one_place(warp);
                      })});
  }
  if (arrived_ == threads_.size()) return;
  BarrierExited fault{
      .exited = threads_.size() - arrived_, .exited_thread = 0, .whole_warps = true};
  for (const Warp& warp : warps_) {
    const unsigned gone = warp.present & ~warp.live;
    if (!gone || (fault.exited_thread > 0 && !warp.live)) continue;
    fault.exited_thread = warp.id * 32 + static_cast<unsigned>(std::countr_zero(gone));
    if (warp.live) {
      fault.whole_warps = false;
      break;
    }
  }
  note(barrier_place_, barrier_thread_, fault);
}

// ---- the grid's barrier

void Block::arrive_at_grid(Thread& thread, const Place& place) {
  thread.place = place;
  thread.warp->at_grid |= thread.bit();
  ++at_grid_;
}

void Block::arrive_at_count(Thread& thread, const Place& place) {
  thread.place = place;
  thread.warp->at_count |= thread.bit();
  awake_ |= thread.warp->bit();
}

void Block::arrive_at_meeting(Thread& thread, std::uintptr_t meeting, WaitsAt kind,
                              const Place& place) {
  thread.place = place;
  thread.meeting = meeting;
  thread.meeting_kind = kind;
  thread.warp->at_meeting |= thread.bit();
}

void Block::release_meeting(std::uintptr_t meeting) {
  for (Warp& warp : warps_) {
    for (unsigned rest = warp.at_meeting; rest; rest &= rest - 1) {
      const unsigned k = static_cast<unsigned>(std::countr_zero(rest));
      if (lane(warp, k).meeting != meeting) continue;
      warp.at_meeting &= ~(1u << k);
      wake(warp, 1u << k);
    }
  }
}

// ---- mbarriers

void Block::arrive_at_mbarrier(Thread& thread, std::uintptr_t mbarrier, bool looks,
                               const Place& place) {
  thread.looks = looks;
  arrive_at_meeting(thread, mbarrier, WaitsAt::mbarrier, place);
}

bool Block::answer_looks() {
  constexpr unsigned most_looks = 16;
  if (looks_ == most_looks) return false;
  bool any = false;
  for (Warp& warp : warps_) {
    for (unsigned rest = warp.at_meeting; rest; rest &= rest - 1) {
      Thread& thread = lane(warp, static_cast<unsigned>(std::countr_zero(rest)));
      if (thread.meeting_kind != WaitsAt::mbarrier || !thread.looks) continue;
      thread.looked_in_vain = true;
      warp.at_meeting &= ~thread.bit();
      wake(warp, thread.bit());
      any = true;
    }
  }
  looks_ += any;
  return any;
}

void Block::release_grid() {
  Profiler::meet_all(chains);
  for (Warp& warp : warps_) {
    wake(warp, std::exchange(warp.at_grid, 0));
    running.scheduler->requests().count(warp.trace, order_);
  }
  at_grid_ = 0;
  accesses_.renumber(launch_->first_number + order_);
}

// ---- the cluster's barrier

void Block::arrive_at_cluster(Thread& thread, const Place& place) {
  ++at_cluster_;
  arrive_at_meeting(thread, reinterpret_cast<std::uintptr_t>(cluster()), WaitsAt::cluster_barrier,
                    place);
}

void Block::release_cluster() {
  at_cluster_ = 0;
  release_meeting(reinterpret_cast<std::uintptr_t>(cluster()));
}

}  // namespace kata::emulator
