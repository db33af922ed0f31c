#pragma once
// What threads, lines and pieces of memory are called in messages.

#include <cstdint>
#include <optional>
#include <string>

#include "emulator/runtime/launch/launch.h"
#include "emulator/runtime/memory/device_memory.h"

namespace kata::emulator {

/// "(1,0,0)", of a thread in its block and of a block in its grid.
std::string thread_name(const Launch& launch, unsigned id);
std::string block_name(const Launch& launch, std::uint64_t index);

/// "1 block", "2 blocks".
std::string plural(std::uint64_t count, const std::string& one, const std::string& many);

/// "line 12", with the file where it is another one.
std::string line_name(const SourceLine& line, const SourceLine& beside);
std::string line_name(const Place& place, const Place& beside);

/// "1 float", "8 unsigned chars", "3 __half values", "2 4-byte words".
std::string elements_name(const ElementType& elements, std::size_t count);

/// "A[12]", "byte 3 of the buffer allocated in line 12".
std::string element_name(const Allocation& allocation, std::uintptr_t address, unsigned size);

/// "byte 8 of total", a __device__ variable: of the one at the address, or of that at `low`.
std::string variable_name(std::uintptr_t address);
std::string variable_name(std::uintptr_t address, std::uintptr_t low);

/// "A", or "the buffer allocated in line 12".
std::string buffer_name(const Allocation& allocation);

/// The allocation that the address is in, or is nearest to; none if it is far from all.
std::optional<Allocation> owner_of(std::uintptr_t address);

/// "x[12]", "8 bytes at x[12]"
std::string name_of(const MemoryAccess& access);
/// A buffer's or a variable's name, without a subscript; empty if unknown.
std::string object_of(const MemoryAccess& access);

/// "4-byte word 12 of tile (32 words)"
std::string name_of(const SharedAccess& access, const Launch& launch);
/// The name of the __shared__ variable at or before the access; empty: dynamic shared memory.
std::string object_of(const SharedAccess& access, const Launch& launch);

}  // namespace kata::emulator
