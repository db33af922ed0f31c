#pragma once
#include "emulator/types/launch_profile.h"

namespace kata {

using emulator::LaunchProfile;
using emulator::Steps;
using emulator::Touched;

}  // namespace kata
