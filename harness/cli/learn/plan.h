#pragma once
// The plan until an interview, as text.

#include <optional>
#include <string>

#include "config/config.h"
#include "practice/plan/next.h"
#include "support/result.h"

namespace kata::cli {

/// By the plan in the settings, if its day has not passed; see practice/plan/next.h.
Result<NextStep> next_step(const Config& config, const Result<History>& history,
                           const std::vector<std::string>& left_out = {},
                           const States* known = nullptr);

/// "kata watch relu", "kata drill"
std::string command_of(const PlanItem& item);

/// Today's list and what of it comes next; when all is done, the exercise that follows.
std::string today_text(const NextStep& step);

}  // namespace kata::cli
