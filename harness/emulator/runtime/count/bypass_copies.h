#pragma once
// Asynchronous copies of 16 bytes a lane that pass L1 by (cp.async.cg), as an H200 counts them
// (ncu: ldgsts_cache_bypass). The rule fits the 656 patterns of docs/fidelity.md.

#include "emulator/runtime/count/wavefronts.h"

namespace kata::emulator {

/// Sectors that the lanes of `from` ask of global memory: one for each 32 bytes of shared memory
/// that each line of 128 bytes fills. `to` has these lanes, too.
Transfers bypass_sectors(const Request& from, const Request& to);

/// The turns that their stores to shared memory take. ncu calls none of them a conflict.
Transfers bypass_turns(const Request& from, const Request& to);

}  // namespace kata::emulator
