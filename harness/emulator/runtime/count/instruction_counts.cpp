#include "emulator/runtime/count/instruction_counts.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace kata::emulator {

void InstructionCount::add(const Request& request, const Transfers& transfers,
                           std::uint64_t order) {
  const auto lanes = static_cast<unsigned>(std::popcount(request.lanes));
  ++requests;
  accesses += lanes;
  needed += transfers.needed;
  fewest += transfers.fewest;
  lines += transfers.lines;
  atomic_sectors += transfers.atomic_sectors;
  low = std::min(low, transfers.first_sector);
  high = std::max(high, transfers.last_sector);
  const std::uint64_t excess = transfers.needed - transfers.fewest;
  const std::uint64_t cost = excess << 32 | transfers.needed << 16 | lanes;
  if (cost < worst_cost_) return;
  if (cost > worst_cost_ || order < worst_order_) take_worst(request, transfers, cost, order);
}

void InstructionCount::take_worst(const Request& request, const Transfers& transfers,
                                  std::uint64_t cost, std::uint64_t order) {
  worst_ = request;
  worst_transfers_ = transfers;
  worst_cost_ = cost;
  worst_order_ = order;
}

void InstructionCount::scale(std::uint64_t all, std::uint64_t counted) {
  const double factor = static_cast<double>(all) / static_cast<double>(counted);
  for (std::uint64_t* count :
       {&requests, &switched_off, &accesses, &needed, &fewest, &apart, &apart_needed, &lines})
    *count = static_cast<std::uint64_t>(static_cast<double>(*count) * factor + 0.5);
}

void InstructionCount::merge(const InstructionCount& other) {
  requests += other.requests;
  switched_off += other.switched_off;
  accesses += other.accesses;
  needed += other.needed;
  fewest += other.fewest;
  apart += other.apart;
  apart_needed += other.apart_needed;
  lines += other.lines;
  atomic_sectors += other.atomic_sectors;
  if (other.predicate.code) predicate = other.predicate;
  low = std::min(low, other.low);
  high = std::max(high, other.high);
  if (other.worst_cost_ > worst_cost_ ||
      (other.worst_cost_ == worst_cost_ && other.worst_order_ < worst_order_)) {
    take_worst(other.worst_, other.worst_transfers_, other.worst_cost_, other.worst_order_);
  }
}

void count_switched_off(InstructionCounts& counts) {
  std::map<Instruction, std::vector<InstructionCount*>> switched;
  for (auto& [instruction, made] : counts) {
    if (made.predicate.code && (instruction.kind == AccessKind::shared_load ||
                                instruction.kind == AccessKind::shared_store))
      switched[made.predicate].push_back(&made);
  }
  for (const auto& [predicate, off] : counts) {
    if (predicate.kind != AccessKind::predicate) continue;
    auto found = switched.find(predicate);
    if (found == switched.end())  // no lane came there in this copy of the loop's body
      found = switched.lower_bound({predicate.code, predicate.kind, predicate.log2_width});
    if (found == switched.end() || found->first.code != predicate.code ||
        found->first.log2_width != predicate.log2_width)
      continue;
    for (InstructionCount* made : found->second)
      made->add_switched_off(off.requests * (made->accesses > 0 ? 1 : loads_before_copies));
  }
  std::erase_if(counts, [](const auto& one) { return one.first.kind == AccessKind::predicate; });
}

}  // namespace kata::emulator
