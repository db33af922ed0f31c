#include "emulator/runtime/launch/tickets.h"

#include <algorithm>

namespace kata::emulator {

void Tickets::draw(std::uintptr_t counter, std::uint64_t block,
                   const std::vector<Change>& unfenced) {
  constexpr std::size_t most_counters = 4, most_blocks = 1 << 14;
  // Two blocks' changes to a word are enough: one of them is not the last to draw.
  constexpr std::ptrdiff_t of_a_word = 2;
  constexpr std::size_t most_changes = 8;
  if (unfenced.empty() && !any_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(mutex_);
  auto found = std::ranges::find(counters_, counter, &Counter::address);
  if (found == counters_.end()) {
    if (unfenced.empty() || counters_.size() == most_counters) return;
    found = counters_.insert(found, {counter});
    any_.store(true, std::memory_order_relaxed);
  }
  if (found->is_drawn_again || found->drawn.size() > most_blocks) return;
  found->is_drawn_again = !found->drawn.try_emplace(block, found->drawn.size()).second;
  for (const Change& one : unfenced) {
    const auto known = std::ranges::count(found->changes, one.address, &Change::address);
    if (known < of_a_word && found->changes.size() < most_changes) found->changes.push_back(one);
  }
}

std::optional<Mark> Tickets::relied_on(std::uintptr_t address, std::uint64_t block,
                                       const void* code, std::uint64_t blocks,
                                       unsigned at_once) const {
  if (!any_.load(std::memory_order_relaxed)) return {};
  const std::lock_guard lock(mutex_);
  for (const Counter& counter : counters_) {
    const auto own = counter.drawn.find(block);
    if (counter.is_drawn_again || own == counter.drawn.end()) continue;
    if (counter.drawn.size() != blocks || own->second + at_once < blocks) continue;
    for (const Change& one : counter.changes)
      if (one.address == address && one.mark.block() != block && one.mark.code() != code)
        return one.mark;
  }
  return {};
}

}  // namespace kata::emulator
