#pragma once
// Counters of the machine code that nvcc makes, where it is installed.

#include "grading/candidate.h"
#include "grading/grade.h"

namespace kata {

/// Runs the counted case once more, and takes the counters of all launches whose machine code the
/// emulator can run.
void count_machine_code(const CompiledCandidate& compiled, const GradeRequest& request,
                        Report& report);

}  // namespace kata
