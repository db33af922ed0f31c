#pragma once
// A launch of which only some blocks run (Options::sampled_blocks).

#include "emulator/runtime/launch/launch.h"

namespace kata::emulator {

/// Some blocks. Of small launches all may run, in a call whose earlier launches were whole: they
/// prepare what a large one goes by. Those after the first may take longer for that.
void choose_sample(Launch& launch);
/// Blocks that did not run would have written: what is there now may not be read.
void end_sample(Launch& launch);

}  // namespace kata::emulator
