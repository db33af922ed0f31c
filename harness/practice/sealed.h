#pragma once
// A file that an open drill asks to read first: no command may judge it yet.

#include <filesystem>
#include <optional>

#include "support/result.h"

namespace kata {

/// The key of a session's JSON that names the file.
inline constexpr const char* sealed_key = "sealed";

/// Where drills lay their files: `drills` in the person's folder.
std::filesystem::path drills_folder();

/// Why no command may judge that file now: a drill that is open asks for reading it first.
std::optional<Error> sealed(const std::filesystem::path& file);

}  // namespace kata
