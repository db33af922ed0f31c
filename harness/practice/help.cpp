#include "practice/help.h"

#include <algorithm>
#include <cstdlib>

namespace kata {

Result<Help> help_taken(const History& history, const std::string& operator_name) {
  const Result<std::vector<Attempt>> attempts = history.attempts(operator_name);
  if (!attempts) return attempts.error();
  Time since{};
  for (const Attempt& one : *attempts) {
    if (one.grade || one.kind == AttemptKind::reset) since = one.at;
  }
  const Result<std::vector<Event>> events = history.events(operator_name, since);
  if (!events) return events.error();
  Help help;
  for (const Event& event : *events) {
    if (!event.session.empty()) continue;
    if (event.kind == Event::Kind::hint) {
      help.hints = std::max(help.hints, std::atoi(event.detail.c_str()));
    }
    help.solution_seen |= event.kind == Event::Kind::solution;
  }
  return help;
}

std::optional<Error> remember_hint(History& history, const std::string& operator_name, int stage,
                                   const std::string& session) {
  return history.add(Event{.operator_name = operator_name,
                           .kind = Event::Kind::hint,
                           .detail = std::to_string(stage),
                           .session = session});
}

}  // namespace kata
