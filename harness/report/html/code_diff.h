#pragma once
// What changed from one candidate's code to another's, for a reader and not for `patch`: header
// comments are left out, indentation does not count, what only moved is named as that.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace kata {

/// One side of a row.
struct DiffSide {
  int line = 0;        ///< of its file, from 1; 0: nothing stands on this side
  bool moved = false;  ///< the other file has this line elsewhere
  std::vector<std::pair<std::size_t, std::size_t>> marks = {};  ///< what changed in it: [from, to)
};

/// Lines that stand side by side.
struct DiffRow {
  enum class Kind { same, changed, folded };
  Kind kind = Kind::same;
  DiffSide before = {}, after = {};  ///< of `folded`: the first line that is left out
  std::size_t folded = 0;            ///< how many lines are left out, alike in both
};

/// Empty where the codes are alike.
std::vector<DiffRow> code_diff(const std::string& before, const std::string& after);

/// For a terminal: '-' and '+' before what changed, '>' before what moved. Ends with a newline.
std::string code_diff_text(const std::string& before, const std::string& after, bool color);

}  // namespace kata
