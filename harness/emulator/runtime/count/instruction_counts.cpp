#include "emulator/runtime/count/instruction_counts.h"

#include <algorithm>
#include <bit>

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
  for (std::uint64_t* count : {&requests, &accesses, &needed, &fewest, &lines})
    *count = static_cast<std::uint64_t>(static_cast<double>(*count) * factor + 0.5);
}

void InstructionCount::merge(const InstructionCount& other) {
  requests += other.requests;
  accesses += other.accesses;
  needed += other.needed;
  fewest += other.fewest;
  lines += other.lines;
  atomic_sectors += other.atomic_sectors;
  low = std::min(low, other.low);
  high = std::max(high, other.high);
  if (other.worst_cost_ > worst_cost_ ||
      (other.worst_cost_ == worst_cost_ && other.worst_order_ < worst_order_)) {
    take_worst(other.worst_, other.worst_transfers_, other.worst_cost_, other.worst_order_);
  }
}

}  // namespace kata::emulator
