#pragma once
// Asynchronous copies (run/copy_queue.h) as accesses of the running thread: checked and counted.

#include <cstdint>

#include "emulator/runtime/count/counts.h"

namespace kata::emulator {

/// Reads `source_bytes` of the 4, 8 or 16 bytes; zeros fill the rest. `source`: how it is
/// counted. `code` is the address that the copy's call returns to.
void issue_copy(std::uintptr_t to, std::uintptr_t from, unsigned bytes, unsigned source_bytes,
                AccessKind source, const void* code);
/// All groups of the running thread arrive but the latest ones.
void wait_for_copies(unsigned groups_left);
/// Those that belong to no group as well.
void wait_for_all_copies();
/// Every thread's copies arrive that are bound to that phase of a barrier or to an earlier one.
void deliver_bound_copies(std::uintptr_t barrier, std::uint64_t phase);

}  // namespace kata::emulator
