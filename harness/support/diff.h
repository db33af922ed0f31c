#pragma once
// Two texts, line by line, or two sequences of anything that is text.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kata {

/// One step from one sequence to another: an item kept (' '), taken away ('-') or added ('+').
struct Edit {
  char sign;
  std::size_t before = 0;  ///< its index there; of '+' without meaning
  std::size_t after = 0;   ///< of '-' without meaning
};

/// The longest common subsequence decides, save where the changed part is larger than some thousand
/// items: then all of it counts as replaced.
std::vector<Edit> edits_between(const std::vector<std::string_view>& before,
                                const std::vector<std::string_view>& after);

/// The lines of a text, each with the new line that ends it.
std::vector<std::string_view> lines_with_ends(std::string_view text);

/// Unified format with three lines of context, without the two lines that name files; empty if the
/// texts are alike.
std::string unified_diff(const std::string& before, const std::string& after);

}  // namespace kata
