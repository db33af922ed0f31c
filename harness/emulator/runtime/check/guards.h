#pragma once
// Writes beside buffers by kernels whose accesses are not checked.

namespace kata::emulator {

/// A finding without a line for each buffer beside which something was written since the last call.
/// Kernels must have ended.
void check_guards();

}  // namespace kata::emulator
