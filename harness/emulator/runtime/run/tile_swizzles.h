#pragma once
// How tensor copies have arranged the tiles in a block's shared memory: the span of the swizzle of
// the last bulk copy to each 16 bytes. Whether anything else has been written there since, the
// shadows know (check/async_proxy.h).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/runtime/memory/shared_memory.h"

namespace kata::emulator {

class TileSwizzles {
 public:
  /// Of a new block: none.
  void begin() {
    if (is_used_) std::fill(spans_.begin(), spans_.end(), std::uint8_t{0});
    is_used_ = false;
  }
  /// `span`: bytes, 16 without a swizzle; 0: the copy is not one of a tensor.
  void set(std::uintptr_t address, unsigned bytes, unsigned span) {
    if (span == 0 && !is_used_) return;
    spans_.resize(shared_span / cell);
    is_used_ = true;
    const std::uintptr_t end = (address + bytes + cell - 1) / cell;
    for (std::uintptr_t at = address / cell; at < end; ++at)
      spans_[at % (shared_span / cell)] = static_cast<std::uint8_t>(span);
  }
  unsigned at(std::uintptr_t address) const {
    return is_used_ ? spans_[address % shared_span / cell] : 0;
  }

 private:
  static constexpr unsigned cell = 16;  ///< bytes
  std::vector<std::uint8_t> spans_;
  bool is_used_ = false;
};

}  // namespace kata::emulator
