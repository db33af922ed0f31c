#pragma once
// A candidate file -> compile -> worker process -> report.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "compile/compile.h"
#include "problems/problem.h"
#include "report/report.h"

namespace kata {

struct GradeRequest {
  std::filesystem::path source;
  const Problem* problem = nullptr;  ///< null: found from the entry function that the file defines
  std::string entry = {};            ///< the entry's name where it is not the problem's
  Backend backend = Backend::emulator;
  std::optional<Shape> size = {};
  std::uint64_t seed = 0;
  std::string chip = "h200";  ///< without a GPU: what times are estimated for; "none": nothing
  bool with_ladder = true;    ///< timing on the GPU, counts on the emulator, beside every rung
  std::function<void(const std::string& what)> progress = {};
  /// Told that the candidate passed, before the ladder, which may take seconds the first time.
  std::function<void(const Report& report)> passed = {};
};

/// Never throws for a candidate's sake: every failure is a report with a verdict.
Report grade(const GradeRequest& request);

/// Timing alone: yours (if a source is given), every rung, the library, the limit. On the emulator:
/// estimates.
Report bench(const GradeRequest& request, const std::vector<Shape>& shapes);

}  // namespace kata
