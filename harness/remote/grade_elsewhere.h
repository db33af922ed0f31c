#pragma once
// The same as grading/grade.h and grading/hardware.h, on another machine.

#include <functional>
#include <string>

#include "grading/grade.h"
#include "remote/connection.h"
#include "report/report.h"
#include "support/result.h"

namespace kata {

/// Judges the request's candidate there. Backend::gpu means that there has to be a GPU. An Error
/// says why nothing could be judged there, such as a broken connection.
Result<Report> grade_elsewhere(const Place& place, const GradeRequest& request);

Result<Report> bench_elsewhere(const Place& place, const GradeRequest& request);

/// The text that `kata profile` prints.
Result<std::string> profile_elsewhere(const Place& place, const GradeRequest& request, bool color);

/// Its GPU: "NVIDIA H200", or "no GPU: ..." with the reason.
Result<std::string> gpu_elsewhere(const Place& place,
                                  const std::function<void(const std::string& what)>& progress);

}  // namespace kata
