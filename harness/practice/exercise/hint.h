#pragma once
// The next of an exercise's staged hints, and that it was taken.

#include <optional>
#include <string>

#include "practice/history.h"
#include "support/result.h"

namespace kata {

struct Hint {
  std::string text;     ///< Markdown
  int number = 0;       ///< from 1
  int all = 0;          ///< how many the exercise has
  bool counts = false;  ///< it was kept as taken now: what is solved with it is graded "hard"
};

/// What to aim for after a check that passed.
struct NextIdea {
  bool known = false;     ///< a check has found the level
  std::string idea = {};  ///< empty at the top of the ladder
};

/// As the last check with a level said; nothing if the last check did not pass.
std::optional<NextIdea> idea_after_pass(const std::string& operator_name,
                                        const Result<History>& history);

/// The next hint, the last again if all were taken, or the one of that number ("2"); or why there
/// is none. Without a history it is shown all the same.
Result<Hint> take_hint(const std::string& operator_name, const std::string& number,
                       Result<History> history);

}  // namespace kata
