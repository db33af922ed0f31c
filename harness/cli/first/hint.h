#pragma once
// Hints and solutions, shown and remembered: both count when an attempt is graded.

#include <string>

#include "support/result.h"

namespace kata::cli {

struct ShownHint {
  std::string text;  ///< as a terminal shows it
  int number = 0;    ///< 0: no hint, but the idea to aim for after a check that passed
  bool last = false;
  bool needs_level = false;  ///< no check that passed has found the level
};

/// The next hint, the last again if all were taken, or the one of that number ("2"); after a check
/// that passed, its idea of what to aim for; or why there is none. Remembered; without a history it
/// is shown all the same.
Result<ShownHint> show_hint(const std::string& operator_name, const std::string& number);

/// "Hint 2 of 3" and its text.
std::string hint_text(const std::string& hint, std::size_t number, std::size_t all);

/// A rung's text was shown. Where that cannot be kept, it is shown nevertheless.
void remember_solution_seen(const std::string& operator_name, const std::string& rung);

}  // namespace kata::cli
