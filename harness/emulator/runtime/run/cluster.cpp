#include "emulator/runtime/run/cluster.h"

#include <algorithm>

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/memory/cuda_types.h"
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

bool Cluster::finished() const {
  return std::all_of(blocks_.begin(), blocks_.end(),
                     [](const Block* block) { return block->finished(); });
}

bool Cluster::stuck() const {
  return !finished() && std::all_of(blocks_.begin(), blocks_.end(),
                                    [](const Block* block) { return block->idle(); });
}

const Block& Cluster::first_stuck() const {
  const auto waits_elsewhere = [](const Block* b) { return !b->finished() && !b->at_cluster(); };
  return **std::find_if(blocks_.begin(), blocks_.end(), waits_elsewhere);
}

void Cluster::arrive() {
  running.worker->settle();
  const Thread& me = *running.thread;
  std::uint64_t& arrivals = arrivals_[rank_of(running.worker->block())][me.id];
  if (arrivals > phase_) return;
  arrivals = phase_ + 1;
  ++arrived_;
  meet_if_all_are_here();
}

void Cluster::wait(const Place& place) {
  Worker& worker = *running.worker;
  Block& block = worker.block();
  const std::uint64_t arrivals = arrivals_[rank_of(block)][running.thread->id];
  while (arrivals > phase_) {
    block.arrive_at_cluster(*running.thread, place);
    worker.wait();
  }
  block.accesses().learn(running.thread->id, known_before_, known_);
}

void Cluster::leave(const Thread& thread) {
  Block& block = running.worker->block();
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
      running.worker->events().add(visit.event);
  }
}

void Cluster::meet_if_all_are_here() {
  if (live_ == 0 || arrived_ < live_) return;
  ++phase_;
  arrived_ = 0;
  ++running.progress;  // others of this OS thread go on
  auto done = std::make_shared<std::vector<Published>>();
  for (Block* block : blocks_) {
    const unsigned clock = block->accesses().meet_cluster();
    done->push_back({block->accesses().number(), true,
                     std::make_shared<std::vector<unsigned>>(block->threads().size(), clock)});
    block->release_cluster();
  }
  const auto by_number = [](const Published& a, const Published& b) { return a.block < b.block; };
  std::sort(done->begin(), done->end(), by_number);
  known_before_ = known_;
  known_ = joined(known_, done);
  running.order.me = running.worker->block().accesses().me(running.thread->id);
}

void Cluster::check(Block& owner, std::uintptr_t address, unsigned size, Access access,
                    const void* return_address) {
  if ((address & (size - 1)) != 0) end_at_misaligned(address, size, access, return_address);
  Worker& worker = *running.worker;
  // The checks of the block's own shared memory, of another's.
  const std::uintptr_t own = std::exchange(running.shared_low, owner.shared().low());
  const std::uintptr_t offset = address - running.shared_low;
  Event left = worker.event(EventKind::shared_memory_left, before(return_address));
  left.address = offset;
  left.size = size;
  left.is_write = writes(access);
  const Mark mark{running.order.me, Mark::what_of(return_address, Mark::one, Mark::plain, 15)};
  last_visit(rank_of(owner), rank_of(worker.block())) = {mark, left};
  if (owner.finished()) worker.events().add(left);
  if (phase_ == 0) {
    left.kind = EventKind::shared_memory_early;
    worker.events().add(left);
  }
  owner.shared().extend(worker.launch().shared);  // it may not have come to the declaration
  const auto* state = reinterpret_cast<const std::uint8_t*>(address + shared_span);
  if (std::count(state, state + size, written) != size)
    check_shared(offset, size, access, return_address);
  for (unsigned done = 0; done < size; done += 4) {
    const unsigned bytes = size >= 4 ? 15 : ((1u << size) - 1) << (address & 3);
    check_word(*shared_shadow(running.shared_low, offset + done), address + done, bytes, access,
               return_address);
  }
  running.shared_low = own;
}

}  // namespace kata::emulator

using namespace kata::emulator;

namespace {

/// Of the running block; null: a cluster of one block, which needs none.
Cluster* cluster() {
  return running.thread ? running.worker->block().cluster() : nullptr;
}

}  // namespace

void __kata_cluster_dims(unsigned x, unsigned y, unsigned z) {
  if (running.thread && x * y * z != 1) running.worker->ask_for_clusters({x, y, z});
}

Triple __kata_cluster_shape() {
  return cluster() ? running.worker->launch().config.cluster : Triple{1, 1, 1};
}

void __kata_cluster_arrive() {
  running.quantum -= spin_price;
  if (cluster()) cluster()->arrive();
}

void __kata_cluster_wait(const char* file, int line) {
  if (!cluster()) {
    __kata_barrier(static_cast<int>(BarrierKind::sync), 0, file, line);
  } else {
    running.quantum -= spin_price;
    cluster()->wait({nullptr, file, line});
  }
}

void* __kata_cluster_map(const void* pointer, unsigned rank) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (!running.thread || address - running.shared_low >= shared_span) return nullptr;
  if (rank >= (cluster() ? cluster()->size() : 1)) return nullptr;
  const std::uintptr_t low = cluster() ? cluster()->block(rank).shared().low() : running.shared_low;
  return reinterpret_cast<void*>(low + (address - running.shared_low));
}

unsigned __kata_cluster_rank(const void* pointer) {
  const Block* owner =
      cluster() ? cluster()->owner_of(reinterpret_cast<std::uintptr_t>(pointer)) : nullptr;
  return owner ? cluster()->rank_of(*owner) : 0;
}
