#pragma once
#include <optional>
#include <string>

namespace kata {

/// The day of "2026-12-20", counted from 1970; nothing if that is no date.
std::optional<int> day_from(const std::string& date);

/// "2026-11-21", where this machine is.
std::string today();

}  // namespace kata
