#pragma once
// A whole program of the person's, as this process.

#include <string>
#include <vector>

#include "worker/job.h"

namespace kata {

/// Calls the main() of the job's module with these arguments, the program's name first, and exits
/// with what it returns. The program has this process to itself: standard input is the descriptor 4
/// that kata left open, and exit(), signals and threads are its own. Findings are
/// reported as they appear; findings and kernels again when it exits, crashes or is interrupted.
[[noreturn]] void run_program(const Job& job, const std::vector<std::string>& arguments,
                              int answer_descriptor);

}  // namespace kata
