#include "emulator/runtime/run/split_barriers.h"

#include <cstring>

#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {

void SplitBarriers::meet(unsigned name, unsigned threads, bool waits, Place place) {
  running.scheduler->settle();
  BlockOrder& order = running.scheduler->block().accesses();
  order.release(running.thread->id, knowledge_[name].arriving, Scope::block);
  gather(name, threads, waits, place);
  if (waits) order.learn(running.thread->id, nullptr, knowledge_[name].met);
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
    Knowledge& known = knowledge_[name];
    known.met = joined(known.met, known.arriving.take());
    block.release_meeting(name);
  } else if (waits) {
    block.arrive_at_meeting(*running.thread, name, WaitsAt::named_barrier, place);
    running.scheduler->wait();
  }
}

}  // namespace kata::emulator
