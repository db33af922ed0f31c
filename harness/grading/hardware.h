#pragma once
// A candidate's launches on the GPU, measured by Nsight Compute, beside the emulator's prediction.

#include <filesystem>
#include <vector>

#include "grading/grade.h"
#include "report/hardware.h"
#include "support/result.h"
#include "worker/job.h"

namespace kata {

/// Compiles the candidate for the GPU and runs it once at its size (else the first size that
/// is benched) under ncu. An Error says what is missing: ncu, permission, memory, a kernel.
Result<HardwareProfile> profile_on_gpu(const GradeRequest& request);

/// The launches of a worker that does `job` under that ncu. An Error in one line, ncu's own words
/// as its detail.
Result<std::vector<MeasuredLaunch>> run_ncu(const std::filesystem::path& ncu,
                                            const std::filesystem::path& worker, const Job& job);

}  // namespace kata
