#pragma once
// Where a person stands with an exercise. It is the result of the last check of this very text, as
// the history has it, not a mark in the file.

#include <string>

#include "practice/history.h"
#include "support/result.h"

namespace kata {

enum class State {
  not_started,  ///< as the stub
  untested,     ///< written in, never checked
  passes,
  fails,
  does_not_compile,
  changed,  ///< since the last check
  absent,   ///< there is no such file
};

/// "not started", "passes", ... in a person's words.
std::string to_string(State state);

/// Of exercises/<operator>/<operator>.cu. Without a history nothing was ever checked.
State state_of(const std::string& operator_name, const Result<History>& history);

}  // namespace kata
