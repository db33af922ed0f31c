#pragma once
// A candidate file -> compile -> worker process -> report.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "compile/compile.h"
#include "grading/candidate.h"
#include "problems/spec/problem.h"
#include "report/report.h"

namespace kata {

struct GradeRequest {
  Candidate candidate = {};
  Backend backend = Backend::emulator;
  /// On the GPU: the emulator judges the file at the same time, and what it finds counts as well.
  bool with_emulator = false;
  std::uint64_t seed = 0;
  bool all_cases = false;  ///< of the problem, also after three that fail, and none that are drawn
  std::string chip = "h200";  ///< without a GPU: what times are estimated for; "none": nothing
  bool all_output = false;    ///< of the candidate, else its beginning
  bool with_ladder = true;    ///< timing on the GPU, counts on the emulator, beside every rung
  /// Every rung's counts, also where nothing of the level depends on them: the first time, the
  /// whole ladder is compiled for them.
  bool all_counts = false;
  /// Where nvcc is installed, the counted launches are counted again in its machine code.
  bool counts_machine_code = false;
  bool with_large = true;  ///< on the emulator: large cases and many calls, after the usual ones
  /// Processor time for a case: what needs more is a timeout, even while kernels get on. Empty: the
  /// usual limit.
  std::optional<double> strict_limit_s = {};
  std::function<void(const std::string& what)> progress = {};
  void say(const std::string& what) const {
    if (progress) progress(what);
  }
  /// Called with each finding as soon as a worker has it; perhaps by two threads at once.
  std::function<void(const Finding& finding)> noticed = {};
  /// Called when the usual cases are right, before the large ones: the first answer.
  std::function<void(const Report& report)> right_so_far = {};
  /// Called when the candidate has passed, before the ladder, which may take seconds at first.
  std::function<void(const Report& report)> passed = {};
};

/// For a small change of a kernel that passed: no large cases, and a second for a case, where the
/// kernel itself needs a small part of that.
void judge_as_change(GradeRequest& request);

/// Never throws for a candidate's sake: every failure is a report with a verdict.
Report grade(const GradeRequest& request);

/// The same for a file that is not read yet.
Report grade(const std::filesystem::path& path, const CandidateArguments& arguments,
             GradeRequest request = {});

/// Timing alone: yours (unless the candidate has no path or is a stub), every rung, the library,
/// the limit. On the emulator: estimates.
Report bench(const GradeRequest& request);

/// The same; where yours fails on the emulator, with that verdict and its errors.
Report bench_and_judge(const GradeRequest& request);

}  // namespace kata
