#pragma once
// What a worker reports while it works: one JSON object a line. If a candidate ends the process,
// all earlier lines have arrived.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/profile.h"
#include "report/report.h"
#include "support/result.h"
#include "worker/job.h"

namespace kata {

/// What a worker is doing.
enum class Stage {
  loading,    ///< the module
  judging,    ///< a case
  timing,     ///< a kernel, by its name
  profiling,  ///< one call
};

/// The last thing that a worker started.
struct Current {
  Stage stage = Stage::loading;
  std::string what = {};  ///< the case or the kernel, for messages
  Case tested = {};       ///< while judging
};

/// The worker's side.
class AnswerWriter {
 public:
  AnswerWriter(int descriptor, std::string token)
      : descriptor_(descriptor), token_(std::move(token)) {}

  void device(const std::string& name) const;
  /// Of the operator's: what is judged after them are large sizes.
  void expects(std::size_t cases) const;
  void started(Stage stage, const std::string& what) const;
  void started(const std::string& name, const Case& one_case) const;
  /// Before and after each call of the candidate.
  void calls() const;
  void returned() const;
  void finished(const CaseResult& result) const;
  void found(const Finding& finding) const;
  /// Lines of the candidate, and whether they ran; `in_samples`: also where some blocks run alone.
  void code(const std::vector<CodeBlock>& lines, bool in_samples) const;
  /// All findings so far; they replace those sent before.
  void found_so_far(const std::vector<Finding>& findings) const;
  void counted(const std::string& case_name, const Shape& shape,
               const std::vector<KernelRecord>& kernels) const;
  void stopped(int cases_not_run) const;
  void takes_too_long() const;
  /// If the next call takes too long, the worker is done.
  void tries() const;
  /// The same if kernels get on until then.
  void samples() const;
  void timed(const TimingRow& row) const;
  void profiled(const std::vector<LaunchProfile>& launches) const;
  void gpu(const GpuInfo& info) const;
  void failed(const Error& error) const;
  void done() const;

 private:
  void write_line(const std::string& json) const;

  int descriptor_;
  std::string token_;
};

/// What a signal handler reported before the worker died; see signals.h.
struct Death {
  int signal = 0;
  bool is_full = false;   ///< the device: see emulator.h
  std::string file = {};  ///< in the candidate; empty if unknown
  int line = 0;
};

/// The program's side: all answers of a worker.
struct Answers {
  std::string token = {};  ///< the job's
  std::string device;
  std::optional<Current> current;  ///< empty if it has finished
  bool judge_works = false;        ///< judging or timing, and no candidate is being called
  bool tries = false;              ///< a call that may take too long
  bool samples = false;            ///< one that may if kernels get on
  std::vector<CaseResult> cases;
  std::vector<CodeBlock> code;             ///< and whether it ran in calls that ran whole
  std::vector<CodeBlock> code_in_samples;  ///< the same, or in those of which some blocks ran
  std::vector<Finding> findings;
  std::string counted_case;
  Shape counted_shape;
  std::vector<KernelRecord> kernels;
  std::size_t cases_expected = 0;
  int cases_not_run = 0;
  int cases_too_long = 0;
  std::vector<TimingRow> timing;
  std::vector<LaunchProfile> profiles;
  std::optional<GpuInfo> gpu;
  std::optional<Error> error;
  std::optional<Death> death;
  bool done = false;

  /// Reads one line. Lines without the token are ignored.
  void read(const std::string& line);
};

}  // namespace kata
