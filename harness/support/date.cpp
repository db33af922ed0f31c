#include "support/date.h"

#include <fmt/chrono.h>

#include <charconv>
#include <chrono>
#include <ctime>

namespace kata {

std::optional<int> day_from(const std::string& date) {
  int year = 0;
  unsigned month = 0, day = 0;
  const auto number = [&](std::size_t from, std::size_t size, auto& value) {
    const char* const begin = date.data() + from;
    const auto [end, failed] = std::from_chars(begin, begin + size, value);
    return failed == std::errc() && end == begin + size;
  };
  const bool shape = date.size() == 10 && date[4] == '-' && date[7] == '-';
  if (!shape || !number(0, 4, year) || !number(5, 2, month) || !number(8, 2, day)) return {};
  const std::chrono::year_month_day calendar{std::chrono::year(year), std::chrono::month(month),
                                             std::chrono::day(day)};
  if (!calendar.ok()) return {};
  return static_cast<int>(std::chrono::sys_days(calendar).time_since_epoch().count());
}

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr)));
}

}  // namespace kata
