#pragma once
// What a worker said becomes a report.

#include "grading/grade.h"
#include "grading/spawn.h"

namespace kata {

Report new_report(Backend backend, const GradeRequest& request);

/// Nothing could be judged, or not to the end.
Report failed(Report report, const Error& error);

Verdict verdict_of(const Report& report);

/// `limit_s`: of a case.
void take_over(const WorkerRun& run, double limit_s, Report& report);

/// What to do where the emulator gave up every case: nothing else says why nothing was judged.
void explain_too_long(const Candidate& candidate, Report& report);

/// What the candidate printed, all or its beginning.
void add_output(const Finished& process, bool all, Report& report);

/// What a worker said of more cases of the same candidate.
void add_more_cases(const WorkerRun& run, double limit_s, Report& report);

}  // namespace kata
