#include "emulator/runtime/run/split_barriers.h"

#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

/// What the running thread did before it arrived comes before what others do after they waited.
void publish_at(std::uintptr_t barrier) {
  Worker& worker = *running.worker;
  BlockOrder& order = worker.block().accesses();
  worker.settle();
  order.fence(running.thread->id, false);
  order.publish(running.thread->id, barrier, worker.launch().flags);
}

void see_others_at(std::uintptr_t barrier) {
  Worker& worker = *running.worker;
  worker.block().accesses().look_at(running.thread->id, barrier, worker.launch().flags);
  worker.settle();
}

/// Where no variable lies: the last words of shared memory's span.
std::uintptr_t place_of(unsigned name) {
  return running.shared_low + shared_span - 4 * (name + 1);
}

}  // namespace

void SplitBarriers::begin() {
  arrived_ = {};
  barriers_.clear();
}

void SplitBarriers::meet(unsigned name, unsigned threads, bool waits, Place place) {
  Block& block = running.worker->block();
  publish_at(place_of(name));
  if (++arrived_[name] >= threads) {
    arrived_[name] = 0;
    block.release_meeting(name);
  } else if (waits) {
    block.arrive_at_meeting(*running.thread, name, "a named barrier (bar.sync)", place);
    running.worker->wait();
  }
  if (waits) see_others_at(place_of(name));
}

SplitBarriers::Barrier& SplitBarriers::find(std::uintptr_t barrier, Place place) {
  const auto found = barriers_.find(barrier);
  if (found != barriers_.end()) return found->second;
  Worker& worker = *running.worker;
  worker.abort(worker.event(EventKind::barrier_not_initialized, place), cudaErrorLaunchFailure);
}

void SplitBarriers::init(std::uintptr_t barrier, unsigned expected) {
  barriers_[barrier] = {expected, expected, 0};
}

std::uint64_t SplitBarriers::arrive(std::uintptr_t barrier, unsigned count, bool drop,
                                    Place place) {
  Barrier& state = find(barrier, place);
  const std::uint64_t phase = state.phase;
  publish_at(barrier);
  if (drop) state.expected -= count;
  state.pending -= count < state.pending ? count : state.pending;
  if (state.pending == 0) {
    state.pending = state.expected;
    ++state.phase;
    running.worker->block().release_meeting(barrier);
  }
  return phase;
}

std::uint64_t SplitBarriers::phase(std::uintptr_t barrier, Place place) {
  return find(barrier, place).phase;
}

bool SplitBarriers::is_over(std::uintptr_t barrier, std::uint64_t phase, Place place) {
  return find(barrier, place).phase > phase;
}

void SplitBarriers::wait(std::uintptr_t barrier, std::uint64_t phase, Place place) {
  Worker& worker = *running.worker;
  while (!is_over(barrier, phase, place)) {
    worker.block().arrive_at_meeting(*running.thread, barrier, "a cuda::barrier", place);
    worker.wait();
  }
  see_others_at(barrier);
  worker.block().copies().arrive_with(barrier, phase);
}

}  // namespace kata::emulator

using namespace kata::emulator;

namespace {

SplitBarriers& barriers() {
  return running.worker->block().split_barriers();
}

std::uintptr_t key(const void* barrier) {
  return reinterpret_cast<std::uintptr_t>(barrier);
}

}  // namespace

void __kata_barrier_init(void* barrier, unsigned expected) {
  if (running.thread) barriers().init(key(barrier), expected);
}

unsigned long long __kata_barrier_arrive(void* barrier, unsigned count, int drop) {
  if (!running.thread) return 0;
  running.quantum -= spin_price;
  return barriers().arrive(key(barrier), count, drop != 0, before(__builtin_return_address(0)));
}

void __kata_barrier_wait(void* barrier, unsigned long long phase) {
  if (!running.thread) return;
  running.quantum -= spin_price;
  barriers().wait(key(barrier), phase, before(__builtin_return_address(0)));
}

int __kata_barrier_test(void* barrier, unsigned long long phase) {
  if (!running.thread) return 1;
  running.quantum -= spin_price;
  const Place place = before(__builtin_return_address(0));
  const bool over = barriers().is_over(key(barrier), phase, place);
  if (over) barriers().wait(key(barrier), phase, place);
  return over;
}

void __kata_barrier_bind_copies(void* barrier) {
  if (!running.thread) return;
  const Place place = before(__builtin_return_address(0));
  running.worker->block().copies().bind(key(barrier), barriers().phase(key(barrier), place));
}
