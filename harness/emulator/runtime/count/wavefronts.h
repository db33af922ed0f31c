#pragma once
// What one request of a warp costs: sectors of global memory, wavefronts of shared memory, turns of
// an atomic. The rules and where they come from: docs/counters.md.

#include <array>
#include <cstdint>

namespace kata::emulator {

inline constexpr unsigned sector_bytes = 32, line_sectors = 4;  // of global memory
inline constexpr unsigned banks = 32;                           // of shared memory

/// The lanes of a warp at one instruction, and where each of them reads or writes.
struct Request {
  unsigned lanes = 0;                     ///< one bit each; never empty
  std::uint64_t base = 0;                 ///< a multiple of 128 bytes, which is all banks
  std::array<std::uint32_t, 32> where{};  ///< bytes from `base`

  std::uint64_t address(unsigned lane) const { return base + where[lane]; }
};

struct Transfers {
  unsigned needed = 0;          ///< sectors, wavefronts or turns
  unsigned fewest = 0;          ///< what the same bytes would need, laid out as well as can be
  unsigned lines = 0;           ///< of 128 bytes that global memory's sectors lie in
  unsigned atomic_sectors = 0;  ///< that an atomic's lanes touch
  std::uint64_t first_sector = 0, last_sector = 0;  ///< of sectors()
};

/// `width` is what each lane asks for: 1, 2, 4, 8 or 16 bytes.
Transfers sectors(const Request& request, unsigned width);
Transfers wavefronts(const Request& request, unsigned width, bool is_load);
/// Of an asynchronous copy of 4, 8 or 16 bytes through L1; both have the same lanes.
Transfers copy_wavefronts(const Request& from, const Request& to, unsigned width);

/// Of an atomic: lanes at one address take turns.
Transfers turns(const Request& request);

}  // namespace kata::emulator
