#pragma once
// What the program asks of a worker process, and the messages that come back. The job travels as
// one JSON object on the worker's standard input; the answers as JSON lines on descriptor 3, so
// that nothing a candidate prints can be mistaken for one.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "problems/spec/problem.h"
#include "report/report.h"
#include "support/result.h"

namespace kata {

/// Something that is timed: yours, a rung, the library.
struct TimedKernel {
  RowKind kind = RowKind::rung;
  std::string name;
  std::filesystem::path module;
  std::string entry;
  bool timed = true;  ///< false: only its outputs count, for comparison
};

struct Job {
  enum class Kind {
    judge,  ///< run `module` on the problem's cases (or on `shapes` with `values` and `reals`,
            ///< without `values` on those of the problem's that have these shapes)
    judge_large,  ///< run `module` often, and on large cases; if it is `checked`, some blocks at
                  ///< the largest sizes
    time,         ///< time `kernels` side by side at `shapes` (gpu worker alone)
    probe,        ///< say which device this is (gpu worker alone)
    profile,      ///< run `module` once at the first of `shapes`, for an estimate or a profiler
    run,          ///< be the program that `module` is: call its main() (emulator worker alone)
  };
  Kind kind = Kind::judge;
  std::string token = {};  ///< begins each answer: what else is on their pipe is not the worker's
  std::string operator_name = {};
  std::filesystem::path module = {};
  std::string entry = {};
  std::uint64_t seed = 0;
  double time_limit_s = 10;  ///< for one case
  bool patient = true;       ///< more than that while kernels get on
  /// Of a profile: the accesses after which a launch begins no more blocks, and those that end the
  /// call as too slow; of inputs that are drawn four cost as much. 0: what the time limit allows.
  std::uint64_t profiled_accesses = 0, most_accesses = 0;
  /// Of judge_large: shapes near the constants of the source (judge/near_constants.h), in groups.
  std::vector<std::vector<Shape>> near_constants = {};
  /// The same of one that is `checked`: the largest (largest_near()), those called with all checks,
  /// and those at which launches are looked at.
  std::vector<Shape> largest_near = {}, past_thresholds = {}, near_launches = {};
  /// Of judge_large: what the source divides by, and may count calls with.
  std::vector<int> periods = {};
  std::vector<Shape> shapes = {};
  std::optional<Values> values = Values::normal;
  std::vector<float> reals = {};
  /// Of the problem's cases: another worker judges the others.
  std::size_t first_case = 0, end_case = ~std::size_t{0};
  std::vector<TimedKernel> kernels = {};
  std::filesystem::path ceilings_module = {};  ///< timing/ceilings.cu, compiled
  bool all_cases = false;   ///< of the problem, also after three that fail, and none that are drawn
  bool cooperates = false;  ///< it may launch grids that are resident as a whole
  bool checked = true;      ///< false: the module is not instrumented
  bool for_unreached = false;  ///< judge_large, checked: sizes that may reach what others did not
  /// Of a judge of the emulator: a cubin of the candidate, which says what its kernels ask of
  /// memory.
  std::filesystem::path machine_code = {};
  bool output_on_errors = false;  ///< what the program prints goes to standard error
};

/// What the probe answers.
struct GpuInfo {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
};

std::string to_json_text(const Job& job);
Result<Job> job_from_json_text(const std::string& text);

}  // namespace kata
