#include "emulator/runtime/check/mbarriers.h"

#include <algorithm>
#include <utility>

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/check/async_copies.h"
#include "emulator/runtime/check/bulk_copies.h"
#include "emulator/runtime/check/cluster_access.h"
#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/run/cluster.h"
#include "emulator/runtime/run/scheduler.h"
#include "emulator/runtime/run/shared_window.h"

namespace kata::emulator {
namespace {

constexpr unsigned object_bytes = 8;

void set_state(std::uintptr_t at, SharedState state) {
  std::fill_n(reinterpret_cast<std::uint8_t*>(at + shared_span), object_bytes, state);
}

/// The block that the object is in.
Block& owner_of_barrier(std::uintptr_t at, const void* code) {
  if (at % object_bytes != 0)
    end_at_misaligned(at, object_bytes, Access::atomic, code, AccessedBy::mbarrier);
  Block* owner = block_of_shared(at);
  if (!owner) end_at(IllegalAddress{{at, object_bytes, true}}, cudaErrorIllegalAddress, code);
  return *owner;
}

/// An operation on it by the running thread, which must come after its init.
Mbarrier& use(Block& owner, std::uintptr_t at, const void* code) {
  running.quantum -= spin_price;
  const auto found = owner.mbarriers().find(at);
  if (found == owner.mbarriers().end())
    end_at(BarrierNotInitialized{}, cudaErrorLaunchFailure, code);
  if (running.is_checked) {
    const InSharedMemoryOf its(owner, at, object_bytes, true, code);
    check_barrier_use(at, code);
    const Block& mine = running.scheduler->block();
    if (&owner != &mine && !found->second.is_published && mine.cluster()->has_met())
      note(BarrierNotPublished{found->second.init}, code);
  }
  return found->second;
}

/// A phase ends with its last arrival and its last byte, in any order.
void complete_phase_if_due(Block& owner, std::uintptr_t at, Mbarrier& barrier) {
  owner.forget_looks();
  if (barrier.pending > 0 || barrier.bytes != 0) return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  barrier.bytes_expected = 0;
  barrier.copies.clear();
  barrier.completed = joined(barrier.completed, barrier.arriving.take());
  owner.release_meeting(at);
  ++running.progress;  // of another block of the cluster
}

void add_bytes(Mbarrier& barrier, std::int64_t bytes, const void* code) {
  barrier.bytes += bytes;
  if (barrier.bytes > most_barrier_bytes || barrier.bytes < -most_barrier_bytes)
    note(MbarrierMisuse{MbarrierMisuse::too_many_bytes, barrier.bytes, barrier.init}, code);
}

/// The phase that it waits for by parity is the first that it does not know to be complete. The
/// parity of that one is also the parity of the phase after the next.
void check_parity(Mbarrier& barrier, WantedPhase wanted, const void* code) {
  if (!wanted.by_parity || !running.is_checked) return;
  const unsigned me = running.thread->id;
  const auto parity = static_cast<unsigned>(wanted.number & 1);
  const auto is_told_apart = [&](std::uint64_t known) {
    const bool waits_again = (known & 1) != parity;
    return barrier.phase < known + (waits_again ? 1 : 2);
  };
  if (is_told_apart(barrier.seen.known_alone(me))) return;
  const BlockOrder& order = running.scheduler->block().accesses();
  const std::uint64_t known = barrier.seen.known(me, order);
  if (!is_told_apart(known))
    note(PhaseMissed{known, barrier.phase, parity, (known & 1) != parity}, code);
  barrier.seen.add(me, running.order.me, barrier.phase);
}

/// What came with the phases that are complete is there for whoever has waited for them.
void deliver(std::uintptr_t at, Mbarrier& barrier) {
  deliver_bound_copies(at, barrier.phase - 1);
  std::vector<std::shared_ptr<const BulkCopy>> arrived;
  for (const auto& [phase, copy] : barrier.landed) {
    if (phase < barrier.phase) arrived.push_back(copy);
  }
  if (arrived.empty()) return;
  std::erase_if(barrier.landed, [&](const auto& one) { return one.first < barrier.phase; });
  for (const auto& copy : arrived) deliver_load(*copy);
}

}  // namespace

void init_mbarrier(std::uintptr_t at, unsigned expected, const void* code) {
  Block& owner = owner_of_barrier(at, code);
  if (&owner != &running.scheduler->block())
    end_at(MbarrierMisuse{MbarrierMisuse::other_block, 0, {}}, cudaErrorLaunchFailure, code);
  if (expected == 0 || expected > most_arrivals)
    note(MbarrierMisuse{MbarrierMisuse::wrong_count, expected, {}}, code);
  const auto known = owner.mbarriers().find(at);
  if (known != owner.mbarriers().end()) {
    note(MbarrierMisuse{MbarrierMisuse::initialized_twice, 0, known->second.init}, code);
    set_state(at, written);
  }
  check_access<object_bytes, Access::write>(at, code);
  set_state(at, barrier);
  owner.mbarriers()[at] = {.expected = expected,
                           .pending = expected,
                           .init = before(code),
                           .initializer = running.thread->id};
}

void publish_mbarriers(bool of_all) {
  for (auto& [at, barrier] : running.scheduler->block().mbarriers()) {
    if (!of_all && barrier.initializer != running.thread->id) continue;
    barrier.is_published = barrier.is_fenced = true;
  }
}

void fence_mbarriers() {
  for (auto& [at, barrier] : running.scheduler->block().mbarriers()) barrier.is_fenced = true;
}

void check_mbarrier_fence(std::uintptr_t at, const void* code) {
  const Mbarrier& barrier = use(owner_of_barrier(at, code), at, code);
  if (running.is_checked && !barrier.is_fenced) note(BarrierNotFenced{barrier.init}, code);
}

void invalidate_mbarrier(std::uintptr_t at, const void* code) {
  Block& owner = owner_of_barrier(at, code);
  use(owner, at, code);
  owner.mbarriers().erase(at);
  set_state(at, unwritten);
}

BeforeArrival arrive_at_mbarrier(std::uintptr_t at, const Arrival& arrival, const void* code) {
  Block& owner = owner_of_barrier(at, code);
  Mbarrier& barrier = use(owner, at, code);
  Scheduler& scheduler = *running.scheduler;
  const BeforeArrival before_it{barrier.phase, barrier.pending};
  if (running.is_checked && arrival.count > 0 && &owner == &scheduler.block())
    barrier.seen.add(running.thread->id, running.order.me, barrier.phase);
  if (arrival.releases) {
    scheduler.settle();
    scheduler.block().accesses().release(running.thread->id, barrier.arriving, Scope::device);
  }
  add_bytes(barrier, arrival.bytes, code);
  barrier.bytes_expected += arrival.bytes;
  if (arrival.drops) barrier.expected -= std::min(arrival.count, barrier.expected);
  if (arrival.count > barrier.pending)
    note(MbarrierMisuse{MbarrierMisuse::too_many_arrivals, barrier.expected, barrier.init}, code);
  barrier.pending -= std::min(arrival.count, barrier.pending);
  complete_phase_if_due(owner, at, barrier);
  return before_it;
}

void complete_bytes(std::uintptr_t at, std::int64_t bytes, std::shared_ptr<const BulkCopy> copy,
                    const void* code) {
  Block& owner = owner_of_barrier(at, code);
  Mbarrier& barrier = use(owner, at, code);
  BlockOrder& order = running.scheduler->block().accesses();
  if (copy) {
    barrier.copies.push_back({before(code), static_cast<std::uint64_t>(bytes)});
    barrier.landed.emplace_back(barrier.phase, std::move(copy));
    order.release_copy(running.thread->id, barrier.arriving);
  }
  add_bytes(barrier, -bytes, code);
  complete_phase_if_due(owner, at, barrier);
}

std::uint64_t phase_of_mbarrier(std::uintptr_t at, const void* code) {
  return use(owner_of_barrier(at, code), at, code).phase;
}

std::shared_ptr<const MissingPhase> phase_of_copy(Block& owner, std::uintptr_t address) {
  const auto writes_it = [&](const BulkPiece& piece) { return address - piece.to < piece.bytes; };
  for (const auto& [at, barrier] : owner.mbarriers()) {
    for (const auto& [phase, copy] : barrier.landed) {
      if (phase == barrier.phase &&
          std::any_of(copy->pieces.begin(), copy->pieces.end(), writes_it))
        return std::make_shared<const MissingPhase>(barrier.missing());
    }
  }
  return nullptr;
}

bool wait_for_mbarrier(std::uintptr_t at, WantedPhase wanted, Wait how, bool acquires,
                       const void* code) {
  Scheduler& scheduler = *running.scheduler;
  Block& block = scheduler.block();
  Thread& me = *running.thread;
  if (&owner_of_barrier(at, code) != &block)
    end_at(MbarrierMisuse{MbarrierMisuse::other_block, 0, {}}, cudaErrorLaunchFailure, code);
  scheduler.settle();
  const auto is_complete = [&] {
    Mbarrier& barrier = use(block, at, code);
    check_parity(barrier, wanted, code);
    return wanted.is_complete(barrier);
  };
  while (!is_complete()) {
    block.arrive_at_mbarrier(me, at, how == Wait::once, before(code));
    scheduler.wait();
    if (std::exchange(me.looked_in_vain, false)) return false;
  }
  Mbarrier& barrier = use(block, at, code);
  if (running.is_checked) barrier.seen.add(me.id, running.order.me, barrier.phase);
  if (acquires && barrier.completed) block.accesses().learn(me.id, nullptr, barrier.completed);
  deliver(at, barrier);
  return true;
}

}  // namespace kata::emulator
