#pragma once
// Launches of one call, profiled for an estimate of time.

#include <vector>

#include "problems/spec/problem.h"
#include "report/profile.h"
#include "support/result.h"
#include "worker/job.h"

namespace kata {

/// Calls the job's entry function once at its first shape, on inputs of zeros, and says what its
/// launches did. Only some blocks of each launch run, so the output means nothing. An Error where
/// the call fails or there is not enough memory for the shape.
Result<std::vector<LaunchProfile>> profile(const Job& job, const Problem& problem);

}  // namespace kata
