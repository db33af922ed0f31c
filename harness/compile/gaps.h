#pragma once
// Room between the variables of an object file, so that a pointer that leaves one of them lands in
// none: the emulator takes every access there as out of bounds (runtime/memory/variables.h).

#include <cstdint>
#include <filesystem>

#include "compile/sources.h"

namespace kata {

/// Part of a cached module's key: raised when the gaps change.
inline constexpr std::uint64_t gaps_version = 1;

/// Whether these have variables that kernels can reach: by the keywords alone, so functions count.
bool may_have_variables(const std::vector<SourceFile>& sources);

/// Each variable that has a section to itself (-fdata-sections) gets as many bytes behind it as it
/// is large, but 256 at least and 64 KiB at most, and its section a name that the linker keeps:
/// `.kata_variable` before the old one. __constant__ variables have names of theirs (qualifiers.h).
/// A file that cannot be read so, or written, stays as it is.
void add_gaps(const std::filesystem::path& object);

}  // namespace kata
