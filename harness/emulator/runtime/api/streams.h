#pragma once
#include "emulator/runtime/launch/streams.h"

namespace kata::emulator {

/// Whether a handle names a stream: the default ones, or one that was created and not destroyed.
bool is_stream(const void* handle);

/// Whether the default stream waits for it, and it for the default stream.
bool is_blocking_stream(const void* handle);

/// What the order of streams calls it: of the default ones, that of the current device.
StreamId stream_of(const void* handle);

bool is_default_stream(const void* handle);

int device_of(const void* handle);

}  // namespace kata::emulator
