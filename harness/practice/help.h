#pragma once
// The help that a person took: it lowers the grade of what they solve with it.

#include <string>

#include "practice/history.h"

namespace kata {

struct Help {
  int hints = 0;  ///< the furthest stage
  bool solution_seen = false;
};

/// Since the exercise was last graded or its stub laid out, interviews apart: those count their own.
Result<Help> help_taken(const History& history, const std::string& operator_name);

/// Which of the stages it was is kept with the hint.
std::optional<Error> remember_hint(History& history, const std::string& operator_name, int stage,
                                   const std::string& session = "");

}  // namespace kata
