#include <sstream>

#include "fuzz/targets.h"
#include "report/json.h"
#include "worker/answers.h"
#include "worker/job.h"

namespace kata::fuzz {

void answers(std::string_view lines) {
  Answers answers;
  std::istringstream stream{std::string(lines)};
  for (std::string line; std::getline(stream, line);) answers.read(line);
  if (const Result<Job> job = job_from_json_text(std::string(lines))) {
    require(static_cast<bool>(job_from_json_text(to_json_text(*job))));
  }
  if (const auto report = report_from_json_text(std::string(lines))) {
    require(report_from_json_text(to_json_text(*report)).has_value());
  }
}

}  // namespace kata::fuzz
