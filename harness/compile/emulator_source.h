#pragma once
// A candidate's files as the emulator's compiler gets them.

#include <filesystem>
#include <string>
#include <vector>

#include "compile/sources.h"
#include "support/result.h"

namespace kata {

struct RewrittenFile {
  std::string name;  ///< what the others include it by
  std::string text;
};

/// The candidate first. An Error where it says what nvcc refuses and C++ would misread.
Result<std::vector<RewrittenFile>> rewrite_sources(const std::vector<SourceFile>& sources,
                                                   bool clang);

}  // namespace kata
