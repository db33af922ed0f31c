#include "emulator/runtime/launch/vector_clock.h"

#include <functional>
#include <tuple>
#include <utility>

#include "emulator/runtime/launch/streams.h"

namespace kata::emulator {
namespace {

bool less(const BlockClock& x, const BlockClock& y) {
  return std::tie(x.block, x.scope) < std::tie(y.block, y.scope);
}

/// Whether who knows `a` learns nothing from `b`.
bool holds(const std::vector<BlockClock>& a, const std::vector<BlockClock>& b) {
  auto mine = a.begin();
  return a.size() >= b.size() && std::ranges::all_of(b, [&](const BlockClock& one) {
           while (mine != a.end() && less(*mine, one)) ++mine;
           if (mine == a.end() || less(one, *mine)) return false;
           return mine->before == one.before || one.latest <= mine->earliest ||
                  std::ranges::equal(*mine->before, *one.before, std::greater_equal());
         });
}

/// Both have the same block and scope.
BlockClock later_of(const BlockClock& a, const BlockClock& b) {
  // A block publishes later clocks than it did before its last barrier: one of the two is enough.
  if (a.before == b.before || b.latest <= a.earliest) return a;
  if (a.latest <= b.earliest) return b;
  auto later = std::make_shared<std::vector<unsigned>>(*a.before);
  for (std::size_t i = 0; i < later->size(); ++i)
    (*later)[i] = std::max((*later)[i], (*b.before)[i]);
  return {a.block, a.scope, a.device, b.fence, std::move(later)};
}

VectorClock newly_joined(const std::vector<BlockClock>& a, const std::vector<BlockClock>& b) {
  auto result = std::make_shared<std::vector<BlockClock>>();
  result->reserve(a.size() + b.size());
  const auto add = [&](const BlockClock& next) {
    if (result->empty() || less(result->back(), next)) {
      result->push_back(next);
    } else {
      result->back() = later_of(result->back(), next);
    }
  };
  auto one = a.begin(), other = b.begin();
  while (one != a.end() || other != b.end())
    add(other == b.end() || (one != a.end() && !less(*other, *one)) ? *one++ : *other++);
  return result;
}
}  // namespace

VectorClock joined(const VectorClock& a, const VectorClock& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  // All threads that wait for one barrier join the same two, and those of several take turns.
  struct Join {
    VectorClock a, b, result;
  };
  thread_local std::array<Join, 64> latest;
  const std::size_t hash = std::hash<VectorClock>()(a) / 16 * 31 + std::hash<VectorClock>()(b) / 16;
  Join& last = latest[hash % latest.size()];
  // One who spins joins the same again and again: then it stays the same clock.
  if (last.a != a || last.b != b)
    last = {a, b, holds(*a, *b) ? a : holds(*b, *a) ? b : newly_joined(*a, *b)};
  return last.result;
}

bool covers_for(const VectorClock& known, const Mark& mark, std::uint64_t reader) {
  if (!known) return false;
  // Which blocks they were is not known: a thread that waited for others is believed.
  if (mark.many() == Mark::blocks) return true;
  const auto of_block = std::lower_bound(
      known->begin(), known->end(), mark.block(),
      [](const BlockClock& one, std::uint64_t block) { return one.block < block; });
  for (auto one = of_block; one != known->end() && one->block == mark.block(); ++one) {
    const bool reaches_me = one->scope >= Scope::device || mark.block() == reader;
    // Of several threads the mark has the clock of the last one, and not its number.
    const bool is_one = mark.many() == Mark::one;
    if (reaches_me && mark.clock() < (is_one ? (*one->before)[mark.thread()] : one->latest))
      return true;
  }
  return false;
}

VectorClock of_system(const VectorClock& known) {
  if (!known) return nullptr;
  auto all = std::make_shared<std::vector<BlockClock>>(*known);
  std::erase_if(*all, [](const BlockClock& one) { return one.scope < Scope::system; });
  if (all->empty()) return nullptr;
  return all;
}

bool covers(const VectorClock& known, const Mark& mark) {
  return covers_for(known, mark, 0);
}
VectorClock widened(const VectorClock& known, Scope scope, std::optional<std::uint64_t> block) {
  const auto gains = [&](const BlockClock& one) {
    return one.scope < scope && (!block || one.block == *block);
  };
  if (!known || std::ranges::none_of(*known, gains)) return known;
  auto all = *known;
  for (BlockClock& one : all)
    if (gains(one)) one.scope = scope;
  return newly_joined(all, {});
}

// ---- barriers with arrivals

Released::Part& Released::part(std::uint64_t block, Scope scope, std::size_t threads) {
  const auto found = std::ranges::find_if(
      parts_, [&](const Part& one) { return one.block == block && one.scope == scope; });
  if (found != parts_.end()) return *found;
  return parts_.emplace_back(Part{block, scope, 0, std::vector<unsigned>(threads, 0)});
}

void Released::Part::add_all(unsigned clock) {
  if (clock <= all) return;
  all = clock;
  for (unsigned& one : before) one = std::max(one, clock);
}

VectorClock Released::take() {
  std::ranges::sort(parts_, {}, [](const Part& one) { return std::tie(one.block, one.scope); });
  VectorClock result = std::exchange(known_, nullptr);
  if (!parts_.empty()) {
    auto clocks = std::make_shared<std::vector<BlockClock>>();
    for (Part& one : parts_) {
      clocks->push_back({.block = one.block,
                         .scope = one.scope,
                         .before = std::make_shared<std::vector<unsigned>>(std::move(one.before))});
    }
    result = joined(result, clocks);
  }
  parts_.clear();
  return result;
}

// ---- flags

Flags& Flags::of_all() {
  static auto* flags = new Flags;  // never destroyed, as device memory
  return *flags;
}

void Flags::publish(std::uintptr_t address, const VectorClock& clock, const StreamClock* before) {
  const std::lock_guard lock(mutex_);
  if (!clock) return;
  VectorClock& known = locations_[address & ~std::uintptr_t{3}];
  if (before) known = StreamOrder::instance().without_ended(known, *before);
  known = joined(known, clock);
  any_.store(true, std::memory_order_relaxed);
}

void Flags::clear() {
  const std::lock_guard lock(mutex_);
  locations_.clear();
  any_ = false;
}

VectorClock Flags::at(std::uintptr_t address) const {
  const std::lock_guard lock(mutex_);
  const auto found = locations_.find(address & ~std::uintptr_t{3});
  return found == locations_.end() ? nullptr : found->second;
}

void Flags::deal_from(std::uintptr_t counter) {
  if (!deals_from(counter))
    counters_[counters_seen_.fetch_add(1, std::memory_order_relaxed) % counters_.size()].store(
        counter, std::memory_order_relaxed);
}

bool Flags::deals_from(std::uintptr_t address) const {
  return std::ranges::any_of(counters_, [&](const std::atomic<std::uintptr_t>& counter) {
    return counter.load(std::memory_order_relaxed) == address;
  });
}

}  // namespace kata::emulator
