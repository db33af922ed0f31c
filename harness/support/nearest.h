#pragma once
// "Did you mean": the name nearest to what was typed.

#include <string>
#include <string_view>
#include <vector>

namespace kata {

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest of `names`: one that starts with what was typed, else one or two edits away (one, of
/// up to three letters), else one that what was typed starts with. Empty if none is near.
std::string nearest(const std::string& typed, const std::vector<std::string>& names);

}  // namespace kata
