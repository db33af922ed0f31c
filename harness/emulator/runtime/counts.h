#pragma once
// What the lanes of a launch asked of memory.

#include <array>
#include <cstdint>

#include "report/report.h"

namespace kata::emulator {

enum class AccessKind : unsigned { global_load, global_store, shared_load, shared_store, atomic };
inline constexpr unsigned access_kinds = 5;

/// Accesses by kind and width: 1, 2, 4, 8, 16 bytes. One increment per access, nothing more.
struct Counts {
  std::array<std::array<std::uint64_t, 5>, access_kinds> by_width;

  std::uint64_t& of(AccessKind kind, unsigned log2_width) {
    return by_width[static_cast<unsigned>(kind)][log2_width];
  }

  void add(const Counts& other) {
    for (unsigned kind = 0; kind < access_kinds; ++kind) {
      for (unsigned width = 0; width < 5; ++width)
        by_width[kind][width] += other.by_width[kind][width];
    }
  }

  AccessCount total(AccessKind kind) const {
    AccessCount sum;
    for (unsigned width = 0; width < 5; ++width) {
      const std::uint64_t accesses = by_width[static_cast<unsigned>(kind)][width];
      sum.accesses += accesses;
      sum.bytes += accesses << width;
    }
    return sum;
  }
};

/// Requests of a warp: what they moved, in sectors of global memory or wavefronts of shared memory,
/// and the fewest that the same bytes would need.
struct RequestCount {
  std::uint64_t requests = 0, transfers = 0, fewest = 0;
  std::uint64_t lines = 0;  ///< of 128 bytes, of global memory
};

using RequestCounts = std::array<RequestCount, access_kinds - 1>;  ///< by kind; no atomics

inline void add(RequestCounts& sum, const RequestCounts& more) {
  for (unsigned kind = 0; kind < sum.size(); ++kind) {
    sum[kind].requests += more[kind].requests;
    sum[kind].transfers += more[kind].transfers;
    sum[kind].fewest += more[kind].fewest;
    sum[kind].lines += more[kind].lines;
  }
}

}  // namespace kata::emulator
