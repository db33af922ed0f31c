#pragma once
// Shared memory as the async proxy uses it: bulk copies (TMA) and wgmma. Ordinary accesses are made
// in the generic proxy; what these wrote has to be fenced by its writer (fence.proxy.async) and
// then ordered before the operation that reads it (PTX ISA, 8.6 and 9.7.13.4).

#include <cstdint>
#include <vector>

#include "emulator/runtime/run/block.h"

namespace kata::emulator {

/// The running thread issues an operation that reads these bytes of its block's shared memory from
/// now until end_async_read(). Checks that they exist, are written, have arrived where a bulk copy
/// writes them, and that every generic write is fenced and ordered before. Until it ends, a write
/// to them is a race. `how`: async_read or matrix_read. `code` is the address that the instruction
/// returns to. A number to end it by.
std::uint64_t begin_async_read(Access how, std::vector<SharedRange> ranges, const void* code);

/// The running thread reads these cells of 16 bytes by a swizzle of that span: a tensor copy that
/// was the last to write to one of them must have had the same.
void check_swizzle(const std::vector<std::uintptr_t>& cells, unsigned span, const void* code);

/// The running thread has waited for it: whoever writes these bytes from now on has to come after
/// this thread's wait, else it races.
void end_async_read(std::uint64_t number);
/// The same of a wgmma's, which a thread of this warpgroup is the first to wait for, and of a
/// thread that waits later. A copy over these bytes has to come after the wait of one of them.
void end_matrix_read(std::uint64_t number, unsigned warpgroup);
void wait_for_matrix_read(std::uint64_t number);
/// A copy writes these bytes of the shared memory of `owner`.
void check_matrix_reads(Block& owner, std::uintptr_t address, unsigned bytes, const void* code);

/// The running thread issues a bulk copy that reads these bytes of global memory: every generic
/// write to them by this launch must be fenced.
void check_global_source(std::uintptr_t address, unsigned bytes, const void* code);

/// fence.proxy.async: what the running thread has written so far, in shared memory or in global
/// memory, may be read by the async proxy.
void fence_async_proxy(bool shared, bool global);

}  // namespace kata::emulator
