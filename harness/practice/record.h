#pragma once
// From a verdict to the history.

#include <cstdint>
#include <string>

#include "grading/candidate.h"
#include "practice/history.h"
#include "report/report.h"

namespace kata {

struct Recorded {
  std::int64_t id = 0;      ///< of the attempt; 0: it is not kept
  std::string remark = {};  ///< for the person, where something is wrong with the history
};

/// Adds the attempt that `report` describes. With the id of an attempt that is kept already, brings
/// that one up to date. A verdict never depends on whether this works.
Recorded record(const Report& report, AttemptKind kind, const Candidate& candidate,
                std::int64_t kept_as = 0);

}  // namespace kata
