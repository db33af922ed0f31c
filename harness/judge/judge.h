#pragma once
// Cases, comparison, and the explanation of a wrong result.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "judge/device.h"
#include "judge/large_cases.h"
#include "problems/spec/problem.h"
#include "report/report.h"

namespace kata {

/// What the judge reports while it works, so that a candidate that dies leaves a trace.
struct JudgeEvents {
  std::function<void(const Case&)> started;
  std::function<void(const CaseResult&)> finished;
  std::function<void(const Finding&)> found;
  /// Launches of the largest case so far, by bytes and operations; a later call replaces an
  /// earlier one.
  std::function<void(const Case&, const std::vector<KernelRecord>&)> counted;
  std::function<void(int cases_not_run)> stopped;
  std::function<void()> takes_too_long = {};  ///< a large case, which is not run (judge_large)
  /// A case whose call may take so long: longer ones end the judge's work, and are no fault.
  std::function<void(const Case&, double most_s)> tried = {};
  /// A case some of whose blocks run: one that takes too long while they get on is no fault.
  std::function<void(const Case&)> sampled = {};
};

/// A case too large for the host: the inputs of `pattern`, over and over along one dimension. The
/// outputs of `pattern` repeat as well, and only parts of them are looked at.
struct RepeatedCase {
  Case pattern;
  Shape shape;  ///< as the pattern's, but larger in one dimension

  Case whole() const { return {shape, pattern.values, pattern.reals}; }
};

/// A case that fails teaches; the fourth teaches nothing new.
inline constexpr int most_failures = 3;

/// Bytes and operations of the cases that are called a second time, with other inputs: all but the
/// few that take long.
inline constexpr double most_work_of_second_call = 100'000;

struct JudgeOptions {
  bool all_cases = false;  ///< do not stop at the third failing case
  /// The cases to run, of those given: another process may run the others.
  std::size_t first_case = 0, end_case = ~std::size_t{0};
  /// If every case passes, and the last is among them, the launches of these are checked as well.
  /// Their kernels do not run, and no result is compared.
  std::vector<Case> launches = {};
  /// The same for these, but before any call of which only some blocks run.
  std::vector<Case> launches_first = {};
  /// The same for these, but some blocks of their kernels run, on inputs that repeat.
  std::vector<Case> maximum = {};
  /// The same for these, but all of their kernels run, unless they would take seconds.
  std::vector<RepeatedCase> repeated = {};
  /// Called round each call of the candidate: the judge's own work takes time that is not limited.
  std::function<void()> before_call = {}, after_call = {};
  /// Called when all calls that run whole are over, and those of `maximum` are to come.
  std::function<void()> before_samples = {};
  /// Loads a new copy of the module, in which no function was called yet, and returns its entry
  /// function; null if that is not possible.
  std::function<void*()> reload = {};
};

/// Runs `entry` on every case, in order, until the device is no longer usable or three cases have
/// failed. Calls each event at once; all of them must be set. Whether all that was wanted came out
/// right.
bool judge(const Problem& problem, void* entry, const std::vector<Case>& cases, std::uint64_t seed,
           Device& device, const JudgeEvents& events, const JudgeOptions& options = {});

/// For large cases, until one has failed: `first_case` and `end_case` count their results.
void judge_large(const Problem& problem, void* entry, const LargeCases& cases, std::uint64_t seed,
                 Device& device, const JudgeEvents& events, const JudgeOptions& options = {});

/// The inputs of a case. The same seed gives the same numbers on every machine.
Inputs make_inputs(const Problem& problem, const Case& one_case, std::uint64_t seed);

/// The same, but float inputs are zero: all that host code can depend on. Large cases whose kernels
/// do not run are drawn in a fraction of the time.
Inputs make_integer_inputs(const Problem& problem, const Case& one_case, std::uint64_t seed);

/// Bytes plus operations of a case, by which cases are compared.
double work(const Problem& problem, const Case& one_case);

/// The case with the most work. There must be at least one.
const Case& largest(const Problem& problem, const std::vector<Case>& cases);

/// The cases of every device: the problem's own and, unless all of these are wanted also after
/// failures, small ones of which rows are aligned along one size alone, and a few that are drawn.
/// The largest comes last.
std::vector<Case> usual_cases(const Problem& problem, std::uint64_t seed, bool all_cases);

/// Extra cases with the distributions Problem::drawn_values and sizes that depend on the seed, all
/// far smaller than the problem's largest: they find faults that need sizes which no fixed case
/// has.
std::vector<Case> drawn_cases(const Problem& problem, std::uint64_t seed);

/// Cases beyond 65535, the limit of gridDim.y and gridDim.z: one for each matrix dimension that no
/// case of the problem makes larger, with all other sizes as small as they may be.
std::vector<Case> grid_limit_cases(const Problem& problem);

/// Sizes at which only the launches are looked at: grid_limit_cases(), and for each matrix
/// dimension that may be beyond that limit the largest size that the exercise promises, if its
/// tensors have at most 2^28 elements, else a half, a quarter, ... of it: a grid of tiles may be
/// beyond the limit, too. Each once.
std::vector<Case> launch_cases(const Problem& problem);

/// Sizes drawn over all of their ranges, as few of them as leave the tensors small, at which only
/// the launches are looked at.
std::vector<Case> cases_of_launches(const Problem& problem, std::uint64_t seed);

/// Large cases for a device that holds them: those of Problem::large_cases that are too large for
/// the host, and for each dimension that a kernel may map to gridDim.x one that 65535 blocks do not
/// cover. Only along dimensions in which the outputs repeat where the inputs do: the reference is
/// asked.
std::vector<RepeatedCase> repeated_cases(const Problem& problem);

/// Whether a row of the outputs depends on the same row of the inputs alone, and not on its place,
/// by an example: two matrices, one above the other, have the outputs of each. Then a repeated
/// input has repeated outputs, even if the last repetition is cut off. Scans, statistics of all
/// rows and a reversed vector do not pass; the last repeats where no repetition is cut off.
bool has_independent_rows(const Problem& problem, std::size_t dimension);

/// Whether the values of some rows, which the largest sizes show, stand for those of all.
bool rows_show_all(const Problem& problem, std::size_t dimension);

/// The elements of each output that were never written, ascending.
using Unwritten = std::vector<std::vector<std::int64_t>>;

/// The specified elements that still hold the poison and are wrong. In a float output they were
/// never written. In an integer output a call with other poison has to confirm that.
Unwritten find_unwritten(const Problem& problem, const Outputs& expected,
                         const std::vector<Array>& got);

/// Compares the output and explains what is wrong (explain.h).
CaseResult compare(const Problem& problem, const Case& one_case, const Inputs& inputs,
                   const Outputs& expected, const std::vector<Array>& got,
                   const Unwritten& unwritten);

}  // namespace kata
