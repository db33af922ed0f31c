#pragma once
// Cases, comparison, and the explanation of a wrong result.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "judge/device.h"
#include "problems/problem.h"
#include "report/report.h"

namespace kata {

/// What the judge tells while it works, so that a candidate that dies leaves a trace.
struct JudgeEvents {
  std::function<void(const Case&)> started;
  std::function<void(const CaseResult&)> finished;
  std::function<void(const Finding&)> found;
  /// Launches of the largest case so far, by bytes and operations; a later call replaces an
  /// earlier one.
  std::function<void(const Case&, const std::vector<KernelRecord>&)> counted;
  std::function<void(int cases_not_run)> stopped;
};

struct JudgeOptions {
  bool all_cases = false;  ///< do not stop at the third that fails
  /// If every case passes, the launches of these are checked as well. Their kernels do not run, and
  /// no result is compared.
  std::vector<Case> launches = {};
  /// The entry function in a new copy of the module, which nobody has called yet; null if there
  /// cannot be one.
  std::function<void*()> reload = {};
};

/// Runs `entry` on every case, in order, until the device is no longer usable or three cases have
/// failed. Every event is told as soon as it is known, and all of them must be set.
void judge(const Problem& problem, void* entry, const std::vector<Case>& cases, std::uint64_t seed,
           Device& device, const JudgeEvents& events, const JudgeOptions& options = {});

/// The inputs of a case. The same seed gives the same numbers on every machine.
Inputs make_inputs(const Problem& problem, const Case& one_case, std::uint64_t seed);

/// Bytes and operations of a case: what cases are compared by.
double work(const Problem& problem, const Case& one_case);

/// The case with the most work, of at least one.
const Case& largest(const Problem& problem, const std::vector<Case>& cases);

/// More cases (Problem::drawn_values), of sizes that the seed decides, all far smaller than the
/// problem's largest: what a fault needs that nobody has thought of, some run will have.
std::vector<Case> drawn_cases(const Problem& problem, std::uint64_t seed);

/// A kernel may map any dimension of a matrix to gridDim.y or gridDim.z, which end at 65535. For
/// each dimension that no case of the problem takes further: a case that does, with all others as
/// small as they may be.
std::vector<Case> grid_limit_cases(const Problem& problem);

/// The elements of each output that nobody wrote, ascending.
using Unwritten = std::vector<std::vector<std::int64_t>>;

/// The elements that hold the poison, are specified, and are wrong: of a float output they were
/// never written; of an integer output another call with other poison has to confirm it.
Unwritten find_unwritten(const Problem& problem, const Outputs& expected,
                         const std::vector<Array>& got);

/// Compares and, where something is wrong, explains (explain.h).
CaseResult compare(const Problem& problem, const Case& one_case, const Inputs& inputs,
                   const Outputs& expected, const std::vector<Array>& got,
                   const Unwritten& unwritten);

}  // namespace kata
