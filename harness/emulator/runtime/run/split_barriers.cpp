#include "emulator/runtime/run/split_barriers.h"

#include <cstring>

#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

/// What the running thread did before it arrived comes before what others do after they waited.
void publish_at(std::uintptr_t barrier) {
  Scheduler& scheduler = *running.scheduler;
  BlockOrder& order = scheduler.block().accesses();
  scheduler.settle();
  order.fence(running.thread->id, false);
  order.publish(running.thread->id, barrier, scheduler.launch().flags);
}

void see_others_at(std::uintptr_t barrier) {
  Scheduler& scheduler = *running.scheduler;
  scheduler.block().accesses().look_at(running.thread->id, barrier, scheduler.launch().flags);
  scheduler.settle();
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
  publish_at(place_of(name));
  gather(name, threads, waits, place);
  if (waits) see_others_at(place_of(name));
}

void SplitBarriers::exchange(unsigned name, const Exchange& exchange, Place place) {
  auto& values = exchanged_[name];
  values.resize(exchange.threads);
  std::memcpy(values[exchange.rank].data(), exchange.value, exchange.bytes);
  gather(name, exchange.threads, true, place);
  std::memcpy(exchange.result, values[exchange.source].data(), exchange.bytes);
  gather(name, exchange.threads, true, place);
}

void SplitBarriers::gather(unsigned name, unsigned threads, bool waits, Place place) {
  Block& block = running.scheduler->block();
  if (++arrived_[name] >= threads) {
    arrived_[name] = 0;
    block.release_meeting(name);
  } else if (waits) {
    block.arrive_at_meeting(*running.thread, name, WaitsAt::named_barrier, place);
    running.scheduler->wait();
  }
}

SplitBarriers::Barrier& SplitBarriers::find(std::uintptr_t barrier, Place place) {
  const auto found = barriers_.find(barrier);
  if (found != barriers_.end()) return found->second;
  Scheduler& scheduler = *running.scheduler;
  scheduler.abort(scheduler.incident(place, BarrierNotInitialized{}), cudaErrorLaunchFailure);
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
    running.scheduler->block().release_meeting(barrier);
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
  Scheduler& scheduler = *running.scheduler;
  while (!is_over(barrier, phase, place)) {
    scheduler.block().arrive_at_meeting(*running.thread, barrier, WaitsAt::cuda_barrier, place);
    scheduler.wait();
  }
  see_others_at(barrier);
}

}  // namespace kata::emulator
