#include "emulator/runtime/run/cluster.h"

#include <algorithm>

#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {

Cluster::Cluster(std::vector<Block*> blocks)
    : blocks_(std::move(blocks)), visits_(blocks_.size() * blocks_.size()) {
  for (const Block* block : blocks_) {
    arrivals_.emplace_back(block->threads().size(), 0);
    live_ += block->threads().size();
  }
}

unsigned Cluster::rank_of(const Block& block) const {
  return static_cast<unsigned>(std::find(blocks_.begin(), blocks_.end(), &block) - blocks_.begin());
}

Block* Cluster::owner_of(std::uintptr_t address) const {
  const auto owner = std::find_if(blocks_.begin(), blocks_.end(), [&](Block* block) {
    return address - block->shared().low() < shared_span;
  });
  return owner == blocks_.end() ? nullptr : *owner;
}

bool Cluster::stuck() const {
  return !finished() && std::all_of(blocks_.begin(), blocks_.end(),
                                    [](const Block* block) { return block->idle(); });
}

bool Cluster::answer_looks() {
  bool any = false;
  for (Block* block : blocks_) any |= block->answer_looks();
  return any;
}

const Block& Cluster::first_stuck() const {
  const auto waits_elsewhere = [](const Block* b) { return !b->finished() && !b->at_cluster(); };
  return **std::find_if(blocks_.begin(), blocks_.end(), waits_elsewhere);
}

void Cluster::arrive() {
  running.scheduler->settle();
  const Thread& me = *running.thread;
  std::uint64_t& arrivals = arrivals_[rank_of(running.scheduler->block())][me.id];
  if (arrivals > phase_) return;
  arrivals = phase_ + 1;
  ++arrived_;
  meet_if_all_are_here();
}

void Cluster::wait(const Place& place) {
  Scheduler& scheduler = *running.scheduler;
  Block& block = scheduler.block();
  const std::uint64_t arrivals = arrivals_[rank_of(block)][running.thread->id];
  while (arrivals > phase_) {
    block.arrive_at_cluster(*running.thread, place);
    scheduler.wait();
  }
  block.accesses().learn(running.thread->id, known_before_, known_);
}

void Cluster::leave(const Thread& thread) {
  Block& block = running.scheduler->block();
  const unsigned rank = rank_of(block);
  --live_;
  if (arrivals_[rank][thread.id] > phase_) --arrived_;
  meet_if_all_are_here();
  if (!block.finished()) return;
  for (unsigned visitor = 0; visitor < size(); ++visitor) {
    const Visit& visit = last_visit(rank, visitor);
    const auto knows = [&](const Thread& one) {
      return block.accesses().comes_before(visit.mark, one.id);
    };
    const auto& threads = block.threads();
    if (visit.mark.who && std::none_of(threads.begin(), threads.end(), knows))
      running.scheduler->incidents().add(visit.if_left);
  }
}

void Cluster::meet_if_all_are_here() {
  if (live_ == 0 || arrived_ < live_) return;
  ++phase_;
  arrived_ = 0;
  ++running.progress;  // others of this OS thread go on
  auto done = std::make_shared<std::vector<BlockClock>>();
  for (Block* block : blocks_) {
    const unsigned clock = block->accesses().meet_cluster();
    done->push_back(
        {.block = block->accesses().number(),
         .scope = Scope::device,
         .before = std::make_shared<std::vector<unsigned>>(block->threads().size(), clock)});
    block->release_cluster();
  }
  const auto by_number = [](const BlockClock& a, const BlockClock& b) { return a.block < b.block; };
  std::sort(done->begin(), done->end(), by_number);
  known_before_ = known_;
  known_ = joined(known_, done);
  running.order.set_me(running.scheduler->block().accesses().me(running.thread->id));
}

void Cluster::visited(Block& owner, const Mark& mark, const Incident& if_left) {
  last_visit(rank_of(owner), rank_of(running.scheduler->block())) = {mark, if_left};
  if (owner.finished()) running.scheduler->incidents().add(if_left);
}

}  // namespace kata::emulator
