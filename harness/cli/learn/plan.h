#pragma once
// The plan until an interview, as text.

#include <optional>
#include <string>

#include "config/config.h"
#include "practice/history.h"
#include "support/result.h"

namespace kata::cli {

/// Today's part and what to start with; nothing if no plan was made, or if its day has passed.
Result<std::optional<std::string>> todays_part(const Config& config, const History& history);

}  // namespace kata::cli
