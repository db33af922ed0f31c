#pragma once
// A candidate's text and the headers of its own that it includes.

#include <filesystem>
#include <string>
#include <vector>

#include "support/result.h"

namespace kata {

struct SourceFile {
  std::filesystem::path path;  ///< absolute, without symbolic links
  std::string text;
};

/// The candidate first, then every header that it reaches by `#include "..."` relative to the
/// including file. An Error if the candidate cannot be read.
Result<std::vector<SourceFile>> read_sources(const std::filesystem::path& candidate);

/// Where `#include "name"` in `includer` leads: a file beside it, or empty.
std::filesystem::path own_header(const std::filesystem::path& includer, const std::string& name);

}  // namespace kata
