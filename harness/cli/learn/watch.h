#pragma once
// kata watch, for commands that lead to it.

#include "cli/commands.h"
#include "problems/spec/problem.h"

namespace kata::cli {

/// Judges this exercise at every save until the person leaves; what the process exits with.
int watch(const Problem& problem, const Session& session);

}  // namespace kata::cli
