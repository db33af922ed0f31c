#pragma once
// One call for a profiler that watches this process.

#include <vector>

#include "problems/spec/problem.h"
#include "report/profile.h"
#include "support/result.h"
#include "worker/job.h"

namespace kata {

/// Calls the job's entry function once at its first shape, on the judge's inputs, and waits for it.
/// What the launches did is the profiler's to tell: the result is empty. An Error where the call
/// fails or there is not enough memory for the shape.
Result<std::vector<LaunchProfile>> profile(const Job& job, const Problem& problem);

}  // namespace kata
