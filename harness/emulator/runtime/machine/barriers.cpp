#include "emulator/runtime/machine/barriers.h"

#include <algorithm>
#include <bit>

#include "emulator/runtime/machine/sources.h"

namespace kata::emulator::machine {
namespace {

struct Arrival {
  unsigned number = 0, threads = 0;  ///< threads: 0 for all
};
Arrival arrival(const Warp& warp, const Word& word, unsigned lanes) {
  if (word.field(0, 12) == 0xb1d) return {word.field(54, 4), word.field(42, 12)};
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  const std::uint32_t packed = warp.registers[word.field(32)][first];
  return {packed & 15, packed >> 16 & 0xfff};
}

/// Makes one of groups that have waited for the same.
void release_from(Warp& warp, Group::Waits how, unsigned number) {
  for (std::size_t i = 0; i < warp.groups.size(); ++i) {
    if (warp.groups[i].waits != how || warp.groups[i].what != number) continue;
    const std::uint32_t at = warp.groups[i].at;
    unsigned lanes = 0;
    const auto is_there = [&](const Group& other) {
      return other.waits == how && other.what == number && other.at == at;
    };
    for (const Group& other : warp.groups) lanes |= is_there(other) ? other.lanes : 0;
    std::erase_if(warp.groups, is_there);
    warp.groups.push_back({lanes, at + 1});
    i = ~std::size_t{0};
  }
}

void release_block(Block& block) {
  unsigned live = 0;
  for (const Warp& warp : block.warps) live += static_cast<unsigned>(std::popcount(warp.live));
  for (unsigned number = 0; number < block.barriers.size(); ++number) {
    Block::Barrier& barrier = block.barriers[number];
    if (barrier.arrived == 0) continue;
    const unsigned needed = barrier.threads == 0 ? live : barrier.threads;
    if (barrier.arrived < needed) continue;
    barrier.result = barrier.true_lanes;
    barrier.all = barrier.true_lanes == barrier.arrived;
    barrier.arrived = barrier.true_lanes = 0;
    for (Warp& warp : block.warps) release_from(warp, Group::Waits::at_barrier, number);
  }
}

/// The cluster's lanes have met where all that are live have come.
void release_cluster(Cluster& cluster) {
  unsigned live = 0;
  for (const Block* block : cluster.blocks)
    for (const Warp& warp : block->warps) live += static_cast<unsigned>(std::popcount(warp.live));
  if (cluster.arrived == 0 || cluster.arrived < live) return;
  cluster.arrived = 0;
  ++cluster.meetings;
  for (Block* block : cluster.blocks)
    for (Warp& warp : block->warps) release_from(warp, Group::Waits::at_cluster, 0);
}

}  // namespace

bool wait_for_block(Warp& warp, Group& group, const Word& word, unsigned lanes, unsigned and_if) {
  if (lanes == 0) {
    ++group.at;
    return true;
  }
  warp.asked.clear();
  constexpr unsigned arrives = 1, reduces = 2;
  const unsigned mode = word.field(77, 2);
  const auto [number, threads] = arrival(warp, word, lanes);
  Block::Barrier& barrier = warp.block.barriers[number];
  barrier.arrived += static_cast<unsigned>(std::popcount(lanes));
  barrier.threads = threads;
  if (mode == reduces) {
    barrier.true_lanes += static_cast<unsigned>(std::popcount(lanes & and_if));
    barrier.asks_all = word.field(74, 2) == 1;
  }
  if (mode != arrives) {
    warp.groups.push_back({lanes, group.at, Group::Waits::at_barrier, number});
    group.lanes &= ~lanes;
  }
  ++group.at;
  release_block(warp.block);
  return group.lanes != 0;
}

void read_barrier(Warp& warp, const Word& word, unsigned lanes) {
  const Block::Barrier& barrier = warp.block.barriers[0];
  const unsigned to = word.field(16);
  warp.registers.set(to, splat(barrier.result), lanes);
  // Which of the two it was, its instruction has said.
  warp.registers.set_predicate(
      word.field(81, 3), (barrier.asks_all ? barrier.all : barrier.result > 0) ? all_lanes : 0,
      lanes);
}

void arrive_at_cluster(Warp& warp, unsigned lanes) {
  Cluster& cluster = *warp.block.cluster;
  warp.awaits = cluster.meetings + 1;
  warp.asked.clear();
  cluster.arrived += static_cast<unsigned>(std::popcount(lanes));
  release_cluster(cluster);
}

bool wait_for_cluster(Warp& warp, Group& group) {
  if (warp.block.cluster->meetings >= warp.awaits) {
    ++group.at;
    return true;
  }
  group.waits = Group::Waits::at_cluster;
  group.what = 0;
  warp.groups.push_back(group);
  return false;
}

void release_barriers(Block& block) {
  release_block(block);
  release_cluster(*block.cluster);
}

}  // namespace kata::emulator::machine
