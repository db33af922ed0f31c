#pragma once
// Where a person stands with an exercise. It is the result of the last check, not a mark in the
// file: the verdict of every text that was checked is kept under the hash of the text.

#include <string>

#include "report/report.h"

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

/// Of exercises/<operator>/<operator>.cu.
State state_of(const std::string& operator_name);

/// Keeps the verdict of an exercise's text. False if it could not be written (a read-only home
/// folder, say), which is no reason to stop.
bool remember(const std::string& operator_name, const std::string& text, Verdict verdict);

}  // namespace kata
