#pragma once
// What a worker tells while it works: one JSON object a line, so that whatever a candidate does to
// the process, everything said until then has arrived.

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
  std::string what = {};  ///< the case or the kernel, as a person is told
  Case tested = {};       ///< while judging
};

/// The worker's side.
class AnswerWriter {
 public:
  AnswerWriter(int descriptor, std::string token)
      : descriptor_(descriptor), token_(std::move(token)) {}

  void device(const std::string& name) const;
  void started(Stage stage, const std::string& what) const;
  void started(const std::string& name, const Case& one_case) const;
  void finished(const CaseResult& result) const;
  void found(const Finding& finding) const;
  /// All findings up to now: they take the place of those told before.
  void found_so_far(const std::vector<Finding>& findings) const;
  void counted(const std::string& case_name, const Shape& shape,
               const std::vector<KernelRecord>& kernels) const;
  void stopped(int cases_not_run) const;
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

/// The signal handlers' last words; see signals.h.
struct Death {
  int signal = 0;
  std::string file = {};  ///< where in the candidate, if that could be found out
  int line = 0;
};

/// The program's side: everything that a worker said.
struct Answers {
  std::string token = {};  ///< the job's
  std::string device;
  std::optional<Current> current;  ///< empty where it was finished
  std::vector<CaseResult> cases;
  std::vector<Finding> findings;
  std::string counted_case;
  Shape counted_shape;
  std::vector<KernelRecord> kernels;
  int cases_not_run = 0;
  std::vector<TimingRow> timing;
  std::vector<LaunchProfile> profiles;
  std::optional<GpuInfo> gpu;
  std::optional<Error> error;
  std::optional<Death> death;
  bool done = false;

  /// Takes one line in. A line that is none of ours is ignored.
  void read(const std::string& line);
};

}  // namespace kata
