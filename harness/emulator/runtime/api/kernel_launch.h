#pragma once
// A launch, from its beginning to what is kept of it.

#include <memory>

#include "emulator/runtime/api/pending.h"
#include "emulator/runtime/launch/launch.h"

namespace kata::emulator {

std::unique_ptr<Launch> begin_launch(const IssuedLaunch& issued);
/// Its kernel has asked for clusters: whether it is to run again, with these.
bool asks_again(const Launch& launch, IssuedLaunch& issued);
/// It has run: what is kept of it.
void end_launch(Launch& launch);
/// What its kernel has launched.
void run_children(Launch& launch);

}  // namespace kata::emulator
