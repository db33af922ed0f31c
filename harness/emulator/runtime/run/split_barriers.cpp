#include "emulator/runtime/run/split_barriers.h"

#include <cstring>
#include <utility>

#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

/// What the running thread did before it arrived comes before what others do after they waited.
void publish_at(std::uintptr_t barrier) {
  Scheduler& scheduler = *running.scheduler;
  BlockOrder& order = scheduler.block().accesses();
  order.acquire(running.thread->id, *scheduler.launch().flags, Scope::block, nullptr);
  order.fence(running.thread->id, Scope::block, nullptr);
  order.publish(running.thread->id, barrier, *scheduler.launch().flags);
}

void see_others_at(std::uintptr_t barrier) {
  Scheduler& scheduler = *running.scheduler;
  BlockOrder& order = scheduler.block().accesses();
  order.look_at(running.thread->id, barrier, *scheduler.launch().flags);
  order.acquire(running.thread->id, *scheduler.launch().flags, Scope::block, nullptr);
}

/// Where no variable lies: the last words of shared memory's span.
std::uintptr_t place_of(unsigned name) {
  return running.shared_low + shared_span - 4 * (name + 1);
}

}  // namespace

void SplitBarriers::meet(unsigned name, unsigned threads, bool waits, Place place) {
  publish_at(place_of(name));
  BlockOrder& order = running.scheduler->block().accesses();
  if (const VectorClock& known = order.known_to(running.thread->id))
    knowledge_[name].arriving = joined(knowledge_[name].arriving, known);
  gather(name, threads, waits, place);
  if (!waits) return;
  see_others_at(place_of(name));
  const auto found = knowledge_.find(name);
  if (found != knowledge_.end()) order.learn(running.thread->id, nullptr, found->second.met);
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
    if (const auto found = knowledge_.find(name); found != knowledge_.end())
      found->second.met = std::exchange(found->second.arriving, nullptr);
    block.release_meeting(name);
  } else if (waits) {
    block.arrive_at_meeting(*running.thread, name, WaitsAt::named_barrier, place);
    running.scheduler->wait();
  }
}

}  // namespace kata::emulator
