#pragma once
// Reads of a block's shared memory by the async proxy that are under way: bulk stores and wgmma,
// from their issue until the wait that says they are over (check/async_proxy.h).

#include <cstdint>
#include <vector>

#include "emulator/runtime/launch/incident.h"

namespace kata::emulator {

/// Bytes of shared memory; both numbers are multiples of 16.
struct SharedRange {
  std::uintptr_t low;
  unsigned bytes;
};

struct AsyncRead {
  std::uint64_t number;
  Accessor by;
  const void* code;  ///< the address that its instruction returns to
  std::vector<SharedRange> ranges;
};

class AsyncReads {
 public:
  /// Of a new block: none.
  void begin();
  /// The bytes are `being_read`. A number to end it by.
  std::uint64_t add(Accessor by, const void* code, std::vector<SharedRange> ranges);
  /// Bytes that no other read needs are `written` again.
  AsyncRead take(std::uint64_t number);
  /// The first one that reads any of these bytes; null if there is none.
  const AsyncRead* under_way(std::uintptr_t address, unsigned size) const;

 private:
  std::vector<AsyncRead> reads_;
  std::vector<std::uint16_t> readers_;  ///< of each 16 bytes of the span; empty until a first read
  std::uint64_t next_number_ = 1;
};

}  // namespace kata::emulator
