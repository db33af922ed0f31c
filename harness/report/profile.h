#pragma once
// The types of the emulator's profiles, under kata's own names.

#include "emulator/types/launch_profile.h"

namespace kata {

using emulator::LaunchProfile;
using emulator::MatrixWork;
using emulator::Steps;
using emulator::Touched;

}  // namespace kata
