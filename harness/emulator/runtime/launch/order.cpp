#include "emulator/runtime/launch/order.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "emulator/runtime/launch/running.h"

namespace kata::emulator {
namespace {

/// Whether the words hold the same tag beside what may differ: the leading two bits or, of 8 bytes,
/// one half, which may also say how far a block has come.
bool have_same_tag(const Word& a, const Word& b) {
  constexpr std::int64_t most_steps = 3;
  if (a.size == 0 || a.size != b.size) return false;
  const unsigned leading = 8 * a.size - 2;
  if (a.bits >> leading != 0 && a.bits >> leading == b.bits >> leading) return true;
  const auto in_half = [&](unsigned shift) {
    const std::int64_t x = static_cast<std::uint32_t>(a.bits >> shift);
    const std::int64_t y = static_cast<std::uint32_t>(b.bits >> shift);
    return x != 0 && y != 0 && std::abs(x - y) <= most_steps;
  };
  return a.size == 8 && (in_half(0) || in_half(32));
}

constexpr unsigned last_clock = (1u << Mark::clock_bits) - 2;  // the highest marks many blocks

}  // namespace

Word Word::at(std::uintptr_t address, unsigned size) {
  const std::uintptr_t low = address / std::max(size, 1u) * size;
  if (size == 8) return {low, *reinterpret_cast<const volatile std::uint64_t*>(low), size};
  if (size == 4) return {low, *reinterpret_cast<const volatile std::uint32_t*>(low), size};
  return {};
}

// ---- warps

void WarpOrder::begin() {
  all_ = 0;
  in_parts_ = false;
}

void WarpOrder::meet(unsigned lanes, bool all, unsigned clock) {
  if (all) {
    all_ = clock;
    in_parts_ = false;
    return;
  }
  if (!in_parts_) {
    rows_.assign(32, {});
    in_parts_ = true;
  }
  Row together{};
  for (unsigned reader = 0; reader < 32; ++reader) {
    if (!(lanes >> reader & 1)) continue;
    for (unsigned lane = 0; lane < 32; ++lane)
      together.before[lane] = std::max(together.before[lane], rows_[reader].before[lane]);
    together.before[reader] = clock;
  }
  for (unsigned reader = 0; reader < 32; ++reader) {
    if (lanes >> reader & 1) rows_[reader] = together;
  }
}

unsigned WarpOrder::known(unsigned reader, unsigned lane) const {
  return in_parts_ ? std::max(all_, rows_[reader].before[lane]) : all_;
}

// ---- blocks

void BlockOrder::Fences::add(const Fence& fence) {
  constexpr std::size_t kept = 4;
  if (kept_.size() == kept) kept_.erase(kept_.begin());
  kept_.push_back(fence);
}

unsigned BlockOrder::Fences::last_before(unsigned clock) const {
  unsigned last = 0;
  for (const Fence& one : kept_)
    if (one.at < clock) last = one.at;
  return last;
}

void BlockOrder::begin(std::uint64_t block, unsigned threads, std::uint64_t cluster_first,
                       unsigned cluster_blocks) {
  block_ = block;
  cluster_first_ = cluster_first;
  cluster_blocks_ = cluster_blocks;
  clock_ = 1;
  barrier_ = 0;
  if (used_ || proxy_fenced_) members_.clear();
  members_.resize(threads);
  device_ = -1;
  before_ = nullptr;
  warps_.resize((threads + 31) / 32);
  for (WarpOrder& warp : warps_) warp.begin();
  exchanges_.assign(warps_.size(), {});
  used_ = fenced_ = learned_ = proxy_fenced_ = false;
  looking_ = 0;
  dependency_waits_.clear();
  changes_ = {};
}

void BlockOrder::tick() {
  running.unknown = 0;
  // A block that meets more often than the clock can count is not judged any more.
  if (clock_ == last_clock) {
    barrier_ = clock_ + 1;
    running.order.before_barrier = before_barrier();
    running.order.before_shared = before_shared();
    return;
  }
  ++clock_;
  running.order.set_me(running.order.me + (std::uint64_t{1} << Mark::clock_low));
}

void BlockOrder::meet_all() {
  tick();
  barrier_ = std::max(barrier_, clock_);
  running.order.before_barrier = before_barrier();
  running.order.before_shared = before_shared();
  if (!learned_) return;
  VectorClock all, last;
  for (Member& member : members_) {
    if (!member.seen && member.knows == last) continue;  // most know the same
    last = member.knows;
    all = joined(all, joined(member.knows, at_barrier(member)));
  }
  for (Member& member : members_) {
    if (member.knows != all) member.knows = all;
    member.seen = nullptr;
  }
  learned_ = false;
}

VectorClock BlockOrder::known_at_end() {
  VectorClock all;
  if (!used_) return all;
  for (Member& member : members_)
    all = joined(all, joined(member.knows, reaching(member, member.seen, Scope::system, nullptr)));
  return all;
}

/// What a barrier lets the others learn of what the thread has read: it reaches no other device.
VectorClock BlockOrder::at_barrier(Member& member) {
  return reaching(member, member.seen, Scope::device, nullptr);
}

BlockOrder::Member& BlockOrder::use(unsigned thread) {
  used_ = true;
  running.order.is_alone = false;
  running.trust_no_stamps();
  return members_[thread];
}

void BlockOrder::renumber(std::uint64_t block) {
  block_ = cluster_first_ = block;
  clock_ = std::min(clock_ + 1, last_clock);  // of shared memory's stamps
}

unsigned BlockOrder::meet_cluster() {
  clock_ = std::min(clock_ + 1, last_clock);
  return clock_;
}

void BlockOrder::learn(unsigned thread, const VectorClock& before, const VectorClock& now) {
  running.unknown = 0;
  VectorClock& knows = use(thread).knows;
  knows = knows == before ? now : joined(knows, now);
  learned_ = true;
}

void BlockOrder::meet(unsigned warp, unsigned lanes, bool all) {
  tick();
  warps_[warp].meet(lanes, all, clock_);
  if (!learned_) return;
  VectorClock together;
  const auto each = [&](auto f) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (lanes >> lane & 1) f(members_[warp * 32 + lane]);
    }
  };
  each([&](Member& one) { together = joined(together, joined(one.knows, at_barrier(one))); });
  each([&](Member& one) {
    one.knows = together;
    one.seen = nullptr;
  });
}

void BlockOrder::fence(unsigned thread, Scope scope, const void* code) {
  tick();
  fenced_ = true;
  Member& member = use(thread);
  member.to_block.add({clock_, barrier_});
  if (scope >= Scope::device) member.to_device.add({clock_, barrier_});
  const bool reaches_all = scope == Scope::system && device_ >= 0;
  if (reaches_all) member.to_system.add({clock_, barrier_});
  member.fence_code = code;
  // What it learns later needs another fence. Of this block it knows what others did before a
  // barrier that it has met.
  member.knows =
      widened(member.knows, scope, reaches_all ? std::optional<std::uint64_t>() : block_);
}

void BlockOrder::acquire(unsigned thread, const Flags& flags, Scope scope, const void* code) {
  has_looked(thread, flags);
  Member& member = members_[thread];
  if (!member.seen) return;
  running.unknown = 0;
  const VectorClock seen = std::exchange(member.seen, nullptr);
  member.knows = joined(member.knows, reaching(member, seen, scope, code));
}

/// What an acquire of this scope learns of what the thread has seen: of the same block anything, of
/// the device what was published to it, of others what was published to the system. PTX ISA,
/// "Morally strong operations".
VectorClock BlockOrder::reaching(Member& member, const VectorClock& seen, Scope scope,
                                 const void* code) {
  if (device_ < 0 || !seen) return seen;
  const auto needed = [&](const BlockClock& one) {
    if (one.block == block_) return Scope::block;
    return one.device == device_ || one.device < 0 ? Scope::device : Scope::system;
  };
  const auto reaches = [&](const BlockClock& one) {
    return one.scope >= needed(one) && scope >= needed(one);
  };
  if (std::ranges::all_of(*seen, reaches)) return seen;
  auto heard = std::make_shared<std::vector<BlockClock>>();
  auto missed = std::make_shared<std::vector<BlockClock>>();
  for (const BlockClock& one : *seen) {
    (reaches(one) ? heard : missed)->push_back(one);
    if (!reaches(one) && one.scope >= needed(one)) missed->back().fence = code;
  }
  member.missed = joined(member.missed, missed);
  if (heard->empty()) return nullptr;
  return heard;
}

std::optional<const void*> BlockOrder::narrow_fence(const Mark& mark, unsigned thread) const {
  const VectorClock& missed = members_[thread].missed;
  if (!covers(missed, mark)) return {};
  // The last one of the block: of the widest scope that was published.
  std::optional<const void*> code;
  for (const BlockClock& one : *missed)
    if (one.block == mark.block()) code = one.fence;
  return code;
}

void BlockOrder::pass(unsigned thread, const Mark& flag, const void* code, Word value) {
  constexpr std::size_t kept = 4;
  std::vector<Passed>& passed = use(thread).passed;
  std::erase_if(passed, [&](const Passed& one) { return one.code == code; });
  if (passed.size() == kept) passed.erase(passed.begin());
  passed.push_back({flag, code, value});
}

bool BlockOrder::has_passed(const Mark& write, unsigned thread, const void* code,
                            Word value) const {
  // A flag is marked before it is written: what was read may have come in between.
  const auto is_tagged_like = [&](const Word& flag) {
    return have_same_tag(flag, value) || have_same_tag(Word::at(flag.address, flag.size), value);
  };
  return std::ranges::any_of(members_[thread].passed, [&](const Passed& one) {
    return one.flag.block() == write.block() && one.flag.clock() > write.clock() &&
           one.code != code && !is_tagged_like(one.value);
  });
}

bool BlockOrder::adds_again(unsigned thread, std::uintptr_t address) {
  return std::exchange(use(thread).added_to, address) == address;
}

auto BlockOrder::fences(Scope scope) const -> Fences Member::* {
  if (scope == Scope::system) return &Member::to_system;
  return scope == Scope::device ? &Member::to_device : &Member::to_block;
}

void BlockOrder::change(const Change& change) {
  if (changes_[0].address != change.address) changes_[1] = changes_[0];
  changes_[0] = change;
}

std::vector<Change> BlockOrder::unfenced_changes(unsigned thread, std::uintptr_t address,
                                                 const void* code) const {
  std::vector<Change> unfenced;
  for (const Change& one : changes_) {
    if (one.address == 0 || one.address == address || one.mark.code() == code) continue;
    if (comes_before(one.mark, thread) && !covers(members_[thread].published, one.mark))
      unfenced.push_back(one);
  }
  return unfenced;
}

/// What a fence of this thread covers: what it did before, what the block did before the barrier
/// before that, what its warp did before they met, and what others had fenced before a barrier, or
/// before they met.
void BlockOrder::add_published(unsigned thread, Scope scope, std::vector<BlockClock>& to) const {
  Fences Member::*const of_scope = fences(scope);
  const Fence mine = (members_[thread].*of_scope).last();
  auto before = std::make_shared<std::vector<unsigned>>(members_.size(), mine.barrier);
  for (unsigned other = 0; other < members_.size(); ++other) {
    unsigned& clock = (*before)[other];
    const Fences& its = members_[other].*of_scope;
    clock = std::max(clock, its.last_before(barrier_));
    if (other / 32 != thread / 32) continue;
    const unsigned met = warps_[thread / 32].known(thread % 32, other % 32);
    clock = std::max(clock, met < mine.at ? met : its.last_before(met));
  }
  (*before)[thread] = mine.at;
  if (std::all_of(before->begin(), before->end(), [](unsigned clock) { return clock == 0; }))
    return;
  to.push_back({.block = block_,
                .scope = scope,
                .device = device_,
                .fence = members_[thread].fence_code,
                .before = std::move(before)});
}

void BlockOrder::publish(unsigned thread, std::uintptr_t address, Flags& flags) {
  if (!fenced_) return;
  running.unknown = 0;
  has_looked(thread, flags);
  Member& member = members_[thread];
  if (member.published_at != clock_) {
    auto published = std::make_shared<std::vector<BlockClock>>();
    add_published(thread, Scope::block, *published);
    add_published(thread, Scope::device, *published);
    if (device_ >= 0) add_published(thread, Scope::system, *published);
    member.published = published->empty() ? nullptr : std::move(published);
    member.published_at = clock_ < last_clock ? clock_ : 0;  // the last one does not tick
  }
  if (!member.published) return;
  // Who spins with atomics publishes the same again and again.
  const Handed handed{address, member.published, member.knows};
  if (handed == member.handed) return;
  member.handed = handed;
  flags.publish(address, member.knows, before_);
  flags.publish(address, member.published, nullptr);
}

void BlockOrder::look_at(unsigned thread, std::uintptr_t address, const Flags& flags) {
  if (members_[thread].looks_at == address) return;
  has_looked(thread, flags);
  Member& member = use(thread);
  running.unknown = 0;
  looking_ += member.looks_at == 0;
  member.looks_at = address;
}

void BlockOrder::see(unsigned thread, const Flags& flags) {
  Member& member = members_[thread];
  running.unknown = 0;
  const VectorClock seen = flags.at(member.looks_at);
  const bool acquires = member.acquires != 0;
  member.looks_at = member.acquires = 0;
  --looking_;
  if (!seen || seen == member.knows) return;
  learned_ = true;
  if (acquires) {
    member.knows =
        joined(member.knows, reaching(member, seen, member.acquire_scope, member.acquire_code));
  } else {
    member.seen = joined(member.seen, seen);
  }
}

bool BlockOrder::comes_before(const Mark& mark, unsigned thread) const {
  if (mark.who < running.order.launch_first) return true;
  if (mark.block() == block_) {
    if (mark.clock() < barrier_) return true;
    if (mark.many() == Mark::one && mark.thread() == thread) return true;
    if (mark.thread() / 32 == thread / 32 && mark.many() <= Mark::lanes &&
        mark.clock() < warps_[thread / 32].known(thread % 32, mark.thread() % 32))
      return true;
  }
  return knows(members_[thread].knows, mark);
}

bool BlockOrder::may_depend_on(const Mark& read, unsigned thread) const {
  if (read.block() != block_ || read.thread() / 32 != thread / 32 || read.many() > Mark::lanes)
    return false;
  const Exchange& last = exchanges_[thread / 32];
  return read.clock() <= last.clock && last.lanes >> thread % 32 & 1 &&
         last.lanes >> read.thread() % 32 & 1;
}

void BlockOrder::release(unsigned thread, Released& to, Scope scope) {
  tick();
  const unsigned warp = thread / 32 * 32,
                 behind = std::min<std::size_t>(warp + 32, members_.size());
  const auto add = [&](Scope reach, const Fence& fence) {
    Released::Part& part = to.part(block_, reach, members_.size());
    part.add_all(fence.barrier);
    for (unsigned other = warp; other < behind; ++other) {
      const unsigned met = warps_[thread / 32].known(thread % 32, other % 32);
      if (met < fence.at) part.add(other, met);
    }
    part.add(thread, fence.at);
  };
  Member& member = members_[thread];
  add(scope, {clock_, barrier_});
  for (Scope wider : {Scope::device, Scope::system}) {
    const Fence last = (member.*fences(wider)).last();
    if (wider > scope && last.at > 0) add(wider, last);
  }
  to.add(joined(member.knows, at_barrier(member)));
}

void BlockOrder::release_copy(unsigned thread, Released& to) {
  tick();
  to.part(block_, Scope::device, members_.size()).add(thread, clock_);
}

void BlockOrder::wait_for_dependency(unsigned thread) {
  if (!has_met_dependency(thread)) dependency_waits_.push_back(me(thread));
}

bool BlockOrder::has_met_dependency(unsigned thread) const {
  return std::any_of(dependency_waits_.begin(), dependency_waits_.end(), [&](std::uint64_t who) {
    return comes_before({who, 0}, thread);
  });
}

void BlockOrder::fence_proxy(unsigned thread, bool shared, bool global) {
  constexpr std::size_t kept = 8;
  tick();
  proxy_fenced_ = true;
  Member& member = members_[thread];
  if (global) member.global_fence = clock_;
  if (!shared) return;
  std::vector<unsigned>& fences = member.proxy_fences;
  if (fences.size() == kept) fences.erase(fences.begin());
  fences.push_back(clock_);
}

bool BlockOrder::is_fenced_in_global(const Mark& write, unsigned thread) const {
  return members_[write.thread()].global_fence > write.clock() ||
         members_[thread].global_fence > write.clock();
}

bool BlockOrder::has_fenced_global(unsigned thread) const {
  return members_[thread].global_fence > 0;
}

bool BlockOrder::has_fenced_since(const Mark& write, unsigned thread) const {
  const std::vector<unsigned>& fences = members_[thread].proxy_fences;
  return !fences.empty() && fences.back() > write.clock();
}

bool BlockOrder::is_fenced_for_async(const Mark& write, unsigned thread) const {
  const std::vector<unsigned>& fences = members_[write.thread()].proxy_fences;
  const auto first = std::upper_bound(fences.begin(), fences.end(), write.clock());
  if (first == fences.end()) return false;
  // A write that the thread made right before the fence.
  const std::uint64_t clock = std::uint64_t{*first - 1} << Mark::clock_low;
  return comes_before({block_first() | clock | write.thread(), 0}, thread);
}

}  // namespace kata::emulator
