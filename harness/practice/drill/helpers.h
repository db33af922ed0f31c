#pragma once
// Headers that a kernel rests on: which of their parts it uses, and from which of its lines.

#include <filesystem>
#include <string>
#include <vector>

#include "compile/sources.h"

namespace kata::drill {

/// A kernel's code and the headers that it includes, directly or not.
struct Listing {
  std::string kernel;
  std::vector<SourceFile> headers;
};

/// Each header with the parts that the kernels use, directly or not: "---- load4.h ----" and code.
/// What all of several use is named at the end. Of long functions of the host, and of those that
/// wrap PTX, the first line alone.
std::string used_code(const std::vector<Listing>& listings);

/// "  solutions/common/load4.h: load4, in_bounds": what a kernel names itself of each header.
std::string used_names(const std::string& kernel, const std::vector<SourceFile>& headers);

/// The kernel's lines that come to that line of a header, counted from 1; at most `most`.
std::vector<int> lines_into(const std::string& kernel, const std::vector<SourceFile>& headers,
                            const std::filesystem::path& header, int line, std::size_t most);

}  // namespace kata::drill
