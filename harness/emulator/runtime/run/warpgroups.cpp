#include "emulator/runtime/run/warpgroups.h"

#include <algorithm>
#include <utility>

#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {

RegistersInFlight* Warpgroup::Member::in_flight(const std::uint32_t* at) {
  const auto holds = [&](const RegistersInFlight& one) {
    const auto end = one.at.begin() + one.form.registers();
    return std::find(one.at.begin(), end, at) != end;
  };
  const auto found = std::find_if(registers.begin(), registers.end(), holds);
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
  for (const std::uintptr_t end = address + size; address < end; address += 4) {
    if (const auto* one = mine().me().in_flight(reinterpret_cast<std::uint32_t*>(address & ~3ull)))
      return one;
  }
  return nullptr;
}

}  // namespace kata::emulator
