#pragma once
// Files that are either written whole or not at all.

#include <filesystem>
#include <istream>
#include <optional>
#include <string>

namespace kata {

/// The file's content, or nothing if it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

/// What is left in a stream, in large pieces: kata is not optimised, and characters take it long.
std::string read_rest(std::istream& stream);

/// Writes beside the file, then renames: a full disk or Ctrl-C leaves the old content. Makes the
/// folders above it. On failure returns the system's reason, else an empty string.
std::string write_file(const std::filesystem::path& path, const std::string& content);

}  // namespace kata
