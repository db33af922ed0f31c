#pragma once
// Barriers of a block and of a cluster.

#include "emulator/runtime/machine/warp.h"

namespace kata::emulator::machine {

/// BAR: false if none of the group goes on.
bool wait_for_block(Warp& warp, Group& group, const Word& word, unsigned lanes, unsigned and_if);
/// B2R.RESULT: what the last reduction of a barrier has found.
void read_barrier(Warp& warp, const Word& word, unsigned lanes);

void arrive_at_cluster(Warp& warp, unsigned lanes);
/// False if the group waits.
bool wait_for_cluster(Warp& warp, Group& group);

/// Lanes that others wait for may be gone.
void release_barriers(Block& block);

}  // namespace kata::emulator::machine
