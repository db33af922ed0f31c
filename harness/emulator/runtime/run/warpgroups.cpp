#include "emulator/runtime/run/warpgroups.h"

#include <algorithm>
#include <utility>

#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {

void RegistersInFlight::find_bounds() {
  const auto [low, high] = std::minmax_element(at.begin(), at.begin() + form.registers());
  lowest = *low;
  highest = *high;
}

bool RegistersInFlight::holds(const std::uint32_t* word) const {
  if (word < lowest || word > highest) return false;
  const auto end = at.begin() + form.registers();
  const auto in_array = at.begin() + (word - lowest);  // as a rule they are one
  return (in_array < end && *in_array == word) || std::find(at.begin(), end, word) != end;
}

RegistersInFlight* Warpgroup::Member::in_flight(const std::uint32_t* at) {
  const auto found = std::find_if(registers.begin(), registers.end(),
                                  [&](const RegistersInFlight& one) { return one.holds(at); });
  return found == registers.end() ? nullptr : &*found;
}

Warpgroup::Member& Warpgroup::me() {
  return members_[running.thread->id % warpgroup_threads];
}

MatrixOperation* Warpgroup::next() {
  const std::uint64_t number = me().issued;
  return number < first_ + operations_.size() ? &operations_[number - first_] : nullptr;
}

MatrixOperation& Warpgroup::add(const MatrixIssue& issue, const void* code) {
  return operations_.emplace_back(
      MatrixOperation{issue, code, running.thread->id, 0, nullptr, {}, 0});
}

std::unique_ptr<MatrixOperation> Warpgroup::take(std::uint64_t end) {
  if (first_ >= end) return nullptr;
  auto taken = std::make_unique<MatrixOperation>(std::move(operations_.front()));
  operations_.pop_front();
  ++first_;
  return taken;
}

Warpgroup& Warpgroups::mine() {
  if (groups_.empty())
    groups_.resize(running.scheduler->launch().threads_per_block / warpgroup_threads + 1);
  return groups_[running.thread->id / warpgroup_threads];
}

const RegistersInFlight* Warpgroups::in_flight(std::uintptr_t address, unsigned size) {
  if (groups_.empty()) return nullptr;
  Warpgroup::Member& me = mine().me();
  for (const std::uintptr_t end = address + size; address < end; address += 4) {
    if (const auto* one = me.in_flight(reinterpret_cast<std::uint32_t*>(address & ~3ull)))
      return one;
  }
  return nullptr;
}

}  // namespace kata::emulator
