// Runs a launch's blocks, or some of them.
#include <algorithm>
#include <deque>
#include <memory>

#include "emulator/runtime/launch/sample.h"
#include "emulator/runtime/machine/launch.h"

namespace kata::emulator::machine {
namespace {

/// Instructions of warps after which the rest of a launch is counted in some of its blocks.
constexpr std::uint64_t most_steps = 100'000'000, always_run = 8;

using Index = std::array<unsigned, 3>;

std::uint64_t product(const Index& of) {
  return std::uint64_t{of[0]} * of[1] * of[2];
}

Index index_in(const Index& extents, std::uint64_t number) {
  return {static_cast<unsigned>(number % extents[0]),
          static_cast<unsigned>(number / extents[0] % extents[1]),
          static_cast<unsigned>(number / extents[0] / extents[1])};
}

void add_warps(Block& block, std::uint64_t threads) {
  block.warps.reserve((threads + 31) / 32);
  for (std::uint64_t first = 0; first < threads; first += 32) {
    Warp& warp = block.warps.emplace_back(block);
    warp.number = static_cast<unsigned>(first / 32);
    warp.present = warp.live = threads - first >= 32 ? all_lanes : (1u << (threads - first)) - 1;
    warp.groups.push_back({warp.live, 0});
  }
}

/// Blocks that run together: a block alone is a cluster, too.
struct Resident {
  Cluster cluster;
  std::vector<std::unique_ptr<Block>> blocks;

  Resident(Launch& launch, std::uint64_t number) {
    const Configuration& how = launch.configuration;
    Index clusters, first;
    for (unsigned i = 0; i < 3; ++i) clusters[i] = how.grid[i] / how.cluster[i];
    const Index place = index_in(clusters, number);
    for (unsigned i = 0; i < 3; ++i) first[i] = place[i] * how.cluster[i];
    for (std::uint64_t rank = 0; rank < product(how.cluster); ++rank) {
      auto& block = *blocks.emplace_back(std::make_unique<Block>(launch, how.shared_bytes));
      block.index = index_in(how.cluster, rank);
      for (unsigned i = 0; i < 3; ++i) block.index[i] += first[i];
      block.number = block.index[0] +
                     how.grid[0] * (block.index[1] + std::uint64_t{how.grid[1]} * block.index[2]);
      block.rank = static_cast<unsigned>(rank);
      block.cluster = &cluster;
      cluster.blocks.push_back(&block);
      add_warps(block, product(how.block));
    }
  }

  /// Each block that is not over has a turn. True: none is left.
  bool run() {
    bool all_over = true;
    for (const auto& block : blocks) {
      if (block->is_over) continue;
      block->launch.order = block->number;
      block->is_over = run_block(*block);
      all_over &= block->is_over;
    }
    return all_over;
  }
};

void run_clusters(Launch& launch, const std::vector<std::uint64_t>& numbers) {
  // Those that may wait for others: each has its turn.
  std::deque<std::unique_ptr<Resident>> under_way;
  std::size_t next = 0, idle = 0;
  while (next < numbers.size() || !under_way.empty()) {
    if (launch.steps > 4 * most_steps) throw Unsupported{"blocks that do not end"};
    if (next < numbers.size())
      under_way.push_front(std::make_unique<Resident>(launch, numbers[next++]));
    auto one = std::move(under_way.front());
    under_way.pop_front();
    const std::uint64_t before = launch.steps;
    if (!one->run()) under_way.push_back(std::move(one));
    idle = launch.steps == before ? idle + 1 : 0;
    if (idle > under_way.size()) throw Unsupported{"lanes that wait for ever"};
  }
}

}  // namespace

std::uint64_t run_some_blocks(Launch& launch, bool wait_for_each_other) {
  const std::uint64_t each = product(launch.configuration.cluster);
  const std::uint64_t clusters = product(launch.configuration.grid) / each;
  const std::uint64_t first =
      wait_for_each_other ? clusters : std::min((always_run + each - 1) / each, clusters);
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t number = 0; number < first; ++number) numbers.push_back(number);
  run_clusters(launch, numbers);
  const double all = static_cast<double>(launch.steps) / static_cast<double>(first) *
                     static_cast<double>(clusters);
  const double share = static_cast<double>(most_steps) / std::max(all, 1.0);
  numbers.clear();
  for (std::uint64_t number = first; number < clusters; ++number)
    if (is_among(number, share) || number + 1 == clusters) numbers.push_back(number);
  run_clusters(launch, numbers);
  return (first + numbers.size()) * each;
}

}  // namespace kata::emulator::machine
