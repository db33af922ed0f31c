#pragma once
// The files that a new operator begins with.

#include <filesystem>
#include <string>
#include <vector>

#include "support/result.h"

namespace kata {

struct SkeletonFile {
  std::filesystem::path path;  ///< relative to the root
  std::string text;
};

/// Problem, stub, README and first rung of an operator. `signature` is a C declaration such as
/// "void square(const float* x, float* y, int n)", or its parameters alone; `scalars` names the
/// ints that are no sizes. An Error names what is wrong with the name or the signature.
Result<std::vector<SkeletonFile>> skeleton(const std::string& operator_name,
                                           const std::string& signature,
                                           const std::vector<std::string>& scalars);

}  // namespace kata
