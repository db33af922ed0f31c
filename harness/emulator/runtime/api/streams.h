#pragma once

namespace kata::emulator {

/// Whether a handle names a stream: the default ones, or one that was created and not destroyed.
bool is_stream(const void* handle);

}  // namespace kata::emulator
