#pragma once
// On a GPU: yours beside every rung, the libraries and the limit.

#include <optional>
#include <string>
#include <vector>

#include "grading/grade.h"
#include "grading/spawn.h"
#include "worker/job.h"

namespace kata {

/// timing/ceilings.cu, compiled for this machine's GPU.
Result<Module> ceiling_kernels();

/// Times the kernels at those shapes and adds the rows to the report. `yours` is null where
/// there is nothing of the person's to time. A candidate that dies at one of the shapes is a
/// finding; an Error says why nothing could be measured at all.
std::optional<Error> time_ladder(const Problem& problem, const std::vector<Shape>& shapes,
                                 const TimedKernel* yours, const GradeRequest& request,
                                 Report& report);

/// The same at one shape, but with the times of the rungs and libraries that were kept of this GPU
/// and their code. All are measured again if there are none, or if the limit differs from then.
std::optional<Error> time_yours(const Problem& problem, const Shape& shape,
                                const TimedKernel& yours, const GradeRequest& request,
                                Report& report);

/// Whether the worker of a timing job died in a turn of the candidate's.
bool died_in_yours(const Job& job, const Answers& answers);

/// Why a timing job ended early. Names the kernel whose turn it was, and none if kata was at work.
Error why_timing_ended(const WorkerRun& run);

}  // namespace kata
