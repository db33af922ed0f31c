#pragma once
// How much the emulator had to do for kernels, also for those that are not checked.

#include <cstdint>

namespace kata::emulator {

/// How often kernels went from one CUDA thread to another, since the last call: for each thread,
/// and each barrier or warp operation of one. Exact without checks; an access counts a little as
/// well.
std::uint64_t take_switches();

}  // namespace kata::emulator
