#pragma once
// What the lanes of a launch asked of memory.

#include <array>
#include <cstdint>

#include "emulator/types/kernel_record.h"

namespace kata::emulator {

enum class AccessKind : unsigned {
  global_load,
  global_store,
  shared_load,
  shared_store,
  global_atomic,
  shared_atomic,
  // Where an asynchronous copy reads, through L1, past it or not at all, since it fills with zeros:
  // goes before its shared_store, counts nothing.
  copy_source,
  bypass_source,
  no_source,
  // Goes before an access by ldmatrix or stmatrix.
  by_matrix,
  // Whether lanes are switched on for what follows: 1 or 0 in place of an address.
  predicate,
};
inline constexpr unsigned access_kinds = 6;  ///< that count

constexpr bool is_copy_source(AccessKind kind) {
  return kind == AccessKind::copy_source || kind == AccessKind::bypass_source ||
         kind == AccessKind::no_source || kind == AccessKind::by_matrix;
}

constexpr bool is_shared(AccessKind kind) {
  return kind == AccessKind::shared_load || kind == AccessKind::shared_store ||
         kind == AccessKind::shared_atomic;
}

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

  std::uint64_t accesses() const {
    std::uint64_t sum = 0;
    for (const auto& widths : by_width) {
      for (const std::uint64_t count : widths) sum += count;
    }
    return sum;
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

}  // namespace kata::emulator
