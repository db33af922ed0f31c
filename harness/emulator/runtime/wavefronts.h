#pragma once
// What one request of a warp costs: sectors of global memory, wavefronts of shared memory. The
// rules and where they come from: docs/counters.md.

#include <array>
#include <cstdint>

namespace kata::emulator {

/// The lanes of a warp at one instruction, and where each of them reads or writes.
struct Request {
  unsigned lanes = 0;                     ///< one bit each; never empty
  std::array<std::uint32_t, 32> where{};  ///< global: number of the 32-byte sector; shared: byte
};

struct Transfers {
  unsigned needed = 0;  ///< sectors or wavefronts
  unsigned fewest = 0;  ///< what the same bytes would need, laid out as well as can be
  unsigned lines = 0;   ///< of 128 bytes that global memory's sectors lie in
};

/// `width` is what each lane asks for: 1, 2, 4, 8 or 16 bytes.
Transfers sectors(const Request& request, unsigned width);
Transfers wavefronts(const Request& request, unsigned width, bool is_load);

}  // namespace kata::emulator
