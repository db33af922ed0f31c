#pragma once
// Some blocks of a launch that is too large to run (Options::sampled_blocks).

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace kata::emulator {

struct LaunchSample {
  /// Of clusters, in the order in which they run; empty: all run.
  std::vector<std::uint64_t> clusters;
  /// So many of these run in any case; the others of a small launch if allows_others().
  std::uint64_t chosen = 0;
  std::uint64_t most_accesses = 0;  ///< of a launch whose blocks all run
  /// Blocks of an earlier launch did not run: what was written before is not what it would be.
  bool after_others = false;
  bool ended_early = false;                       ///< one of its blocks
  std::uint64_t bytes = 0;                        ///< that its blocks were the first to write
  std::uint64_t block_bytes = 0, most_bytes = 0;  ///< the same of the present block, of any
  std::uint64_t block_read = 0, most_read = 0;    ///< first reads of what nothing has written
  std::set<std::uintptr_t> pages;                 ///< that its blocks were the first to write to

  static constexpr std::uintptr_t page = 4096;

  /// Whether those that ran, and made so many accesses, leave room for all.
  bool allows_others(std::uint64_t ran, std::uint64_t accesses) const {
    return !ended_early && accesses / ran * clusters.size() <= most_accesses;
  }
  void begin_block() { block_bytes = block_read = 0; }
  void read_first(unsigned size) {
    block_read += size;
    most_read = std::max(most_read, block_read);
  }
  void wrote(std::uintptr_t address, unsigned size) {
    bytes += size;
    block_bytes += size;
    most_bytes = std::max(most_bytes, block_bytes);
    pages.insert(address / page * page);
  }
};

/// Of so great a share of all numbers, spread over them: multiples of the golden section.
inline bool is_among(std::uint64_t number, double share) {
  return share >= 1 || static_cast<double>(number * 0x9e3779b97f4a7c15u) < share * 0x1p64;
}

/// The first, the last, and others between them, far from each other; all, if these are no more.
inline std::vector<std::uint64_t> sample_of(std::uint64_t clusters, std::uint64_t wanted) {
  std::set<std::uint64_t> chosen{0, clusters - 1};
  for (std::uint64_t i = 1; i < wanted; ++i) {
    // Multiples of the golden section: tiles of all rows and columns of a grid.
    const double share = static_cast<double>(i * 0x9e3779b97f4a7c15u) / 0x1p64;
    chosen.insert(static_cast<std::uint64_t>(share * static_cast<double>(clusters - 1)));
  }
  return {chosen.begin(), chosen.end()};
}

/// The same, and then all others.
inline std::vector<std::uint64_t> with_others(std::vector<std::uint64_t> sample,
                                              std::uint64_t clusters) {
  const std::set<std::uint64_t> chosen(sample.begin(), sample.end());
  for (std::uint64_t i = 0; i < clusters; ++i)
    if (!chosen.contains(i)) sample.push_back(i);
  return sample;
}

/// Two at each end: what the last one adds may lie with the one before it. One, if one is wanted.
inline std::vector<std::uint64_t> both_ends(std::uint64_t clusters, std::uint64_t wanted) {
  if (wanted == 1) return {0};
  std::set<std::uint64_t> chosen{0, clusters - 1};
  if (clusters > 2) chosen.insert({1, clusters - 2});
  return {chosen.begin(), chosen.end()};
}

}  // namespace kata::emulator
