#pragma once
// A candidate's text, or a program's, and the headers of its own that it includes.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "emulator/rewriter/rewrite.h"
#include "support/result.h"

namespace kata {

/// Whether it is a file of C, in which nothing is CUDA's.
bool is_c(const std::filesystem::path& source);

struct SourceFile {
  std::filesystem::path path;  ///< absolute, without symbolic links
  std::string text;
};

/// The file's text; an Error that says what is wrong with a missing, empty or unreadable one.
Result<std::string> read_source(const std::filesystem::path& path);

/// The translation units first, in their order, then every header of their own that they reach. An
/// Error if a unit cannot be read. `first_text` is the first unit's, where it has been read
/// already.
Result<std::vector<SourceFile>> read_sources(
    const std::vector<std::filesystem::path>& units,
    const std::vector<std::filesystem::path>& include_folders,
    const std::optional<std::string>& first_text = {});

/// Whether the text includes a file by a quoted name.
bool includes_own_headers(const std::string& text);

/// Where an #include in `includer` leads: to a file beside it if it is quoted, else in one of the
/// folders; empty: to none of the person's own files.
std::filesystem::path own_header(const std::filesystem::path& includer,
                                 const emulator::Include& include,
                                 const std::vector<std::filesystem::path>& include_folders);

}  // namespace kata
