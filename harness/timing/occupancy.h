#pragma once
// How many blocks a multiprocessor holds at once.

#include <cstdint>

#include "timing/chip.h"

namespace kata {

/// Registers of a thread where their number is unknown. With 32, the chips that hold 2048 threads
/// have registers for all of them.
inline constexpr unsigned assumed_registers = 32;

/// By the rules of CUDA's cuda_occupancy.h: threads in whole warps, shared memory with what the
/// system reserves, registers in units of 256 for a warp. 0 if not even one block fits.
unsigned resident_blocks(const Residency& room, unsigned threads, std::uint64_t shared_bytes,
                         unsigned registers);

}  // namespace kata
