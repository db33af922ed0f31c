#pragma once
// The timing job: kernels side by side on one problem, shape by shape.

#include <optional>

#include "problems/spec/problem.h"
#include "support/result.h"
#include "worker/job.h"
#include "worker/serve.h"

namespace kata {

/// Times job.kernels at each of job.shapes and reports the rows of a shape as soon as it is
/// measured. An Error if nothing could be measured.
std::optional<Error> time_kernels(const Job& job, const Problem& problem, const TimeEvents& events);

}  // namespace kata
