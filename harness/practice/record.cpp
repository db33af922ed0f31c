#include "practice/record.h"

namespace kata {

std::string record(const Report& report, AttemptKind kind, const std::string& text) {
  Result<History> history = History::open();
  if (!history) return history.error().message;
  if (!history->notice().empty()) return history->notice();
  const auto id = history->add(attempt_from(report, kind, text));
  return id ? "" : id.error().message;
}

}  // namespace kata
