#pragma once
// One atomic read-modify-write, for CUDA's functions and for PTX.

#include <cstdint>

#include "emulator/abi.h"

namespace kata::emulator {

/// Checked and counted as an access by the code that returns to `code`; the bits that were there.
std::uint64_t atomic_update(AtomicOp op, AtomicType type, std::uintptr_t address,
                            std::uint64_t value, std::uint64_t compare, const void* code);
/// The running thread's atomic access there is over, which is made by the code that returns to
/// `code`.
void end_atomic(std::uintptr_t address, const void* code);

}  // namespace kata::emulator
