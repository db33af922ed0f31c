#include "emulator/runtime/run/copy_queue.h"

#include <algorithm>
#include <utility>

#include "emulator/runtime/launch/running.h"
#include "emulator/runtime/run/block.h"

namespace kata::emulator {

void CopyQueue::begin(unsigned threads) {
  threads_ = threads;
  issued_.clear();
  bound_.clear();
}

CopyQueue::Issued& CopyQueue::mine() {
  if (issued_.empty()) issued_.resize(threads_);
  return issued_[running.thread->id];
}

std::vector<AsyncCopy> CopyQueue::take(unsigned groups_left) {
  Issued& issued = mine();
  const auto later =
      std::find_if(issued.copies.begin(), issued.copies.end(),
                   [&](const AsyncCopy& copy) { return copy.group + groups_left >= issued.group; });
  std::vector<AsyncCopy> taken(issued.copies.begin(), later);
  issued.copies.erase(issued.copies.begin(), later);
  return taken;
}

std::vector<AsyncCopy> CopyQueue::take_all() {
  return std::exchange(mine().copies, {});
}

void CopyQueue::bind(std::uintptr_t barrier, std::uint64_t phase) {
  Issued& issued = mine();
  const auto open = std::find_if(issued.copies.begin(), issued.copies.end(),
                                 [&](const AsyncCopy& copy) { return copy.group == issued.group; });
  for (auto copy = open; copy != issued.copies.end(); ++copy) {
    copy->group = phase;
    bound_.push_back({barrier, *copy});
  }
  issued.copies.erase(open, issued.copies.end());
}

std::vector<AsyncCopy> CopyQueue::take_bound(std::uintptr_t barrier, std::uint64_t phase) {
  const auto stays = [&](const Bound& bound) {
    return bound.barrier != barrier || bound.copy.group > phase;
  };
  const auto first = std::stable_partition(bound_.begin(), bound_.end(), stays);
  std::vector<AsyncCopy> taken;
  for (auto bound = first; bound != bound_.end(); ++bound) taken.push_back(bound->copy);
  bound_.erase(first, bound_.end());
  return taken;
}

const AsyncCopy* CopyQueue::under_way(std::uintptr_t address, unsigned size) const {
  const AsyncCopy* found = nullptr;
  const auto look_at = [&](const AsyncCopy& copy) {
    if (copy.to < address + size && address < copy.to + copy.bytes) found = &copy;
  };
  for (const Issued& issued : issued_) {
    for (const AsyncCopy& copy : issued.copies) look_at(copy);
  }
  for (const Bound& bound : bound_) look_at(bound.copy);
  return found;
}

}  // namespace kata::emulator
