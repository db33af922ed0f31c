#pragma once
// Barriers of some of a block's threads: the 16 named ones of PTX (bar.sync 1, 64), and those of
// cooperative groups' tiles of several warps.

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "emulator/runtime/launch/order.h"
#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

inline constexpr unsigned named_barriers = 16;
/// Behind the named ones: of each size from 64 to 1024 threads, one for each tile of a block.
inline constexpr unsigned tile_barriers = 32;

class SplitBarriers {
 public:
  /// Begins a new block, in which no thread has arrived.
  void begin() {
    arrived_ = {};
    knowledge_.clear();
  }

  // Called by the running thread.

  /// `threads` of the block take part; `waits` is false for bar.arrive.
  void meet(unsigned name, unsigned threads, bool waits, Place place);
  /// A shuffle of such threads, which orders nothing: `bytes` at `value` go to each thread whose
  /// `source` is this one's rank, and what its own source gives comes to `result`.
  struct Exchange {
    unsigned threads, rank, source, bytes;
    const void* value;
    void* result;
  };
  void exchange(unsigned name, const Exchange& exchange, Place place);

 private:
  void gather(unsigned name, unsigned threads, bool waits, Place place);

  static constexpr std::size_t most_bytes = 32;  ///< that a group's shuffle takes

  /// What those who arrive hand on, and what those who have met know.
  struct Knowledge {
    Released arriving;
    VectorClock met;
  };

  std::array<unsigned, named_barriers + tile_barriers> arrived_{};
  std::map<unsigned, Knowledge> knowledge_;  ///< by name
  std::map<unsigned, std::vector<std::array<char, most_bytes>>> exchanged_;
};

}  // namespace kata::emulator
