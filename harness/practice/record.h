#pragma once
// From a verdict to the history.

#include <string>

#include "practice/history.h"
#include "report/report.h"

namespace kata {

/// Adds the attempt at an exercise that `report` describes. Returns a line for the person where
/// something about the history is not as it should be, else an empty string: a check is never worth
/// less for it.
std::string record(const Report& report, AttemptKind kind, const std::string& text);

}  // namespace kata
