#pragma once
// What goes over to another machine: one candidate with its headers, and what to do with it.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compile/sources.h"
#include "grading/grade.h"
#include "support/result.h"

namespace kata {

enum class RemoteTask { probe, check, bench, profile };

struct RemoteJob {
  RemoteTask task = RemoteTask::probe;
  GradeRequest request = {};             ///< its callbacks stay here
  std::vector<SourceFile> headers = {};  ///< that the candidate includes in quotes
  std::filesystem::path folder = {};     ///< the working folder here: messages are relative to it
  std::filesystem::path root = {};       ///< of kata here
  bool color = false;                    ///< of what comes back as text
};

/// A job for the request's candidate. An Error if one of its headers cannot be read.
Result<RemoteJob> make_job(RemoteTask task, const GradeRequest& request);

/// One line.
std::string to_json_line(const RemoteJob& job);
Result<RemoteJob> job_from_json(const std::string& line);

/// Writes the job's files below `folder`, each under the path that it has on the machine that sent
/// them, and makes the job's working folder this process's own. The job then names these files.
std::optional<Error> lay_out(RemoteJob& job, const std::filesystem::path& folder);

/// The same text with the paths of the machine that sent the job.
std::string with_sender_paths(std::string text, const RemoteJob& job,
                              const std::filesystem::path& folder);

}  // namespace kata
