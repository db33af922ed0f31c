#pragma once
// Texture objects, as others of the runtime see them.

#include <vector>

#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

/// Where textures were created that were never destroyed. Each is returned once.
std::vector<Place> forget_texture_leaks();

/// As a reset of the device does it: there are none any more.
void release_textures();

}  // namespace kata::emulator
