#pragma once
// Which exercise comes next.

#include <string>

#include "practice/history.h"
#include "problems/spec/problem.h"
#include "support/result.h"

namespace kata {

/// The first exercise that does not pass, after `after` in the order of learning and then from its
/// start; null if all pass.
const Problem* next_unsolved(const Result<History>& history, const std::string& after = "");

}  // namespace kata
