#pragma once
// In which order a person takes the exercises.

#include <string>
#include <vector>

#include "practice/history.h"
#include "problems/problem.h"
#include "support/result.h"

namespace kata {

/// Easy before hard, and what interviewers ask most first.
std::vector<const Problem*> learning_order();

/// The first exercise that does not pass, after `after` in that order and then from its start; null
/// if all pass.
const Problem* next_unsolved(const Result<History>& history, const std::string& after = "");

}  // namespace kata
