#pragma once
// Two texts, line by line.

#include <string>

namespace kata {

/// Unified format with three lines of context, without the two lines that name files; empty if the
/// texts are alike. The longest common subsequence decides, save where the changed part is larger
/// than some thousand lines: then all of it counts as replaced.
std::string unified_diff(const std::string& before, const std::string& after);

}  // namespace kata
