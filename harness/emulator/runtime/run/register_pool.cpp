#include "emulator/runtime/run/register_pool.h"

#include <algorithm>

#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

void note(const Place& place, const RegistersWrong& fault) {
  Scheduler& scheduler = *running.scheduler;
  scheduler.incidents().add(scheduler.incident(place, fault));
}

}  // namespace

void RegisterPool::begin(unsigned threads) {
  held_.clear();
  threads_ = threads;
  free_ = 0;
  const unsigned lanes = (threads + 31) / 32 * 32;
  at_launch_ =
      std::min(registers_per_block / lanes / registers_step * registers_step, most_registers);
}

void RegisterPool::decrease(unsigned registers, const Place& place) {
  held_.resize(threads_, at_launch_);
  unsigned& held = held_[running.thread->id];
  if (registers > held) return note(place, {false, held, registers});
  free_ += held - registers;
  held = registers;
  running.scheduler->block().release_meeting(reinterpret_cast<std::uintptr_t>(this));
}

void RegisterPool::increase(unsigned registers, const Place& place) {
  held_.resize(threads_, at_launch_);
  const unsigned me = running.thread->id;
  if (registers < held_[me]) return note(place, {true, held_[me], registers});
  const unsigned more = registers - held_[me];
  while (free_ < more) {
    running.scheduler->block().arrive_at_meeting(
        *running.thread, reinterpret_cast<std::uintptr_t>(this), WaitsAt::registers, place);
    running.scheduler->wait();
  }
  free_ -= more;
  held_[me] = registers;
}

}  // namespace kata::emulator
