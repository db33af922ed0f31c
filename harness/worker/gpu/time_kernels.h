#pragma once
// The timing job: contestants side by side on one problem, shape by shape.

#include <optional>

#include "problems/problem.h"
#include "support/result.h"
#include "worker/job.h"
#include "worker/serve.h"

namespace kata {

/// Times job.contestants at every one of job.shapes and tells the rows of each shape as soon as
/// they stand; an Error if nothing could be measured at all.
std::optional<Error> run_contest(const Job& job, const Problem& problem, const TimeEvents& events);

}  // namespace kata
