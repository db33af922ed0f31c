#include "emulator/runtime/run/register_pool.h"

#include <algorithm>

#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

void note(const Place& place, const Fault& fault) {
  Scheduler& scheduler = *running.scheduler;
  scheduler.incidents().add(scheduler.incident(place, fault));
}

}  // namespace

void RegisterPool::begin(unsigned threads) {
  held_.clear();
  taken_.clear();
  steps_.clear();
  threads_ = threads;
  free_ = 0;
  const unsigned lanes = (threads + 31) / 32 * 32;
  at_launch_ =
      std::min(registers_per_block / lanes / registers_step * registers_step, most_registers);
}

unsigned RegisterPool::held() const {
  return held_.empty() ? at_launch_ : held_[running.thread->id];
}

void RegisterPool::note_step(bool to_more, unsigned registers, const Place& place) {
  const unsigned me = running.thread->id, group = me / warpgroup_threads;
  held_.resize(threads_, at_launch_);
  taken_.resize(threads_);
  steps_.resize((threads_ + warpgroup_threads - 1) / warpgroup_threads);
  const unsigned number = taken_[me]++;
  if (number == steps_[group].size()) steps_[group].push_back({place, me, to_more, registers});
  Step& step = steps_[group][number];
  if (step.to_more != to_more || step.registers != registers)
    note(place, RegistersDiffer{step.place, step.thread});
  ++step.threads;
  step.warps |= 1u << me % warpgroup_threads / 32;
}

std::vector<RegisterPool::Step> RegisterPool::incomplete() const {
  std::vector<Step> result;
  for (const std::vector<Step>& of_group : steps_) {
    const auto found = std::find_if(of_group.begin(), of_group.end(), [](const Step& step) {
      return step.threads != warpgroup_threads;
    });
    if (found != of_group.end()) result.push_back(*found);
  }
  return result;
}

void RegisterPool::decrease(unsigned registers, const Place& place) {
  note_step(false, registers, place);
  unsigned& held = held_[running.thread->id];
  if (registers > held)
    return note(place, RegistersWrong{false, held, registers, taken_[running.thread->id] == 1});
  free_ += held - registers;
  held = registers;
  running.scheduler->block().release_meeting(reinterpret_cast<std::uintptr_t>(this));
}

void RegisterPool::increase(unsigned registers, const Place& place) {
  note_step(true, registers, place);
  const unsigned me = running.thread->id;
  if (registers < held_[me])
    return note(place, RegistersWrong{true, held_[me], registers, taken_[me] == 1});
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
