#pragma once
// One submission, judged by `kata check` in a process of its own, with limits.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "classroom/submissions.h"
#include "report/report.h"

namespace kata {

struct ClassRules {
  std::string operator_name = {};  ///< empty: each file shows what it computes
  std::string backend = "emulator";
  std::uint64_t seed = 1;          ///< the same inputs for everybody
  double seconds = 120;            ///< of processors, and asleep, for one submission
  std::uint64_t megabytes = 4096;  ///< of memory, all its processes together
  bool as_change = false;          ///< a change of what has passed: in short
  bool sandbox = false;            ///< with bubblewrap
  std::vector<std::filesystem::path> hidden = {};  ///< others' work, in the sandbox
};

struct JudgedHandIn {
  HandIn submission;
  Report report;
  double seconds = 0;
};

/// What decides the outcome besides the submission, as text.
std::string rules_text(const ClassRules& rules);

/// Any thread may call it. A crash, a hang or a compile error is a report with a verdict.
JudgedHandIn judge_submission(const HandIn& submission, const ClassRules& rules);

}  // namespace kata
