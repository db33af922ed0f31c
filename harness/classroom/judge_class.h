#pragma once
// All submissions of a class, several at a time. What is done is kept, by content: after a kill or
// a crash the next start goes on.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "classroom/judge_submission.h"
#include "remote/version.h"
#include "support/result.h"

namespace kata {

struct ClassRun {
  std::vector<HandIn> submissions;
  ClassRules rules;
  HarnessVersion version;      ///< another one judges again
  std::filesystem::path kept;  ///< the folder of what is done
  unsigned jobs = 1;           ///< submissions at a time
  /// Called from any thread, one at a time: so many are done.
  std::function<void(std::size_t done)> progress = {};
};

/// In the order of the submissions. An Error if it was interrupted, or cannot keep an outcome.
Result<std::vector<JudgedHandIn>> judge_class(const ClassRun& run);

/// Judges those that are not done as an array job of Slurm with these options of sbatch, and waits
/// for it. The tasks are this very command with --only, so `again` is its command line.
std::optional<Error> judge_in_slurm(const ClassRun& run, const std::string& options,
                                    const std::vector<std::string>& again);

/// Judges one of them, unless it is done.
std::optional<Error> judge_one(const ClassRun& run, std::size_t index);

}  // namespace kata
