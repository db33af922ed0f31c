#pragma once
// Texture objects, as others of the runtime see them.

namespace kata::emulator {

/// As a reset of the device does it: there are none any more.
void release_textures();

}  // namespace kata::emulator
