#pragma once
// A candidate's files as the emulator's compiler gets them.

#include <filesystem>
#include <string>
#include <vector>

#include "compile/sources.h"
#include "emulator/rewriter/rewrite.h"
#include "support/result.h"

namespace kata {

struct RewrittenFile {
  std::string name;  ///< what the others include it by
  std::string text;
};

/// In the order of the sources, of which the first `units` are translation units and the others
/// headers. An Error where one says what nvcc refuses and C++ would misread.
Result<std::vector<RewrittenFile>> rewrite_sources(
    const std::vector<SourceFile>& sources, std::size_t units,
    const std::vector<std::filesystem::path>& include_folders,
    const emulator::RewriteOptions& options);

}  // namespace kata
