#pragma once
// What comes back from another machine: lines of JSON, the last of which is the result.

#include <optional>
#include <string>

#include "report/report.h"
#include "support/result.h"

namespace kata {

/// One line; what it does not say is empty.
struct Answer {
  std::string progress = {};
  std::optional<Report> right_so_far = {};  ///< the large cases follow
  std::optional<Report> passed = {};        ///< the ladder follows
  std::optional<Report> report = {};
  std::optional<std::string> text = {};
  std::optional<Error> error = {};
};

std::string to_json_line(const Answer& answer);

/// An empty one for a line that is none.
Answer answer_from_json(const std::string& line);

}  // namespace kata
