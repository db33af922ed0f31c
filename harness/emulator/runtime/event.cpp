#include "emulator/runtime/event.h"

#include <algorithm>

namespace kata::emulator {

void EventLog::add(const Event& event) {
  const auto [position, is_new] =
      events_.try_emplace({event.kind, event.place, event.other}, event);
  if (is_new) return;
  Event& known = position->second;
  const std::uint64_t count = known.count + event.count;
  if (std::tie(event.order, event.thread) < std::tie(known.order, known.thread)) known = event;
  known.count = count;
}

void EventLog::merge(const EventLog& other) {
  for (const auto& [key, event] : other.events_) add(event);
}

std::vector<Event> EventLog::sorted(std::uint64_t last_order) const {
  std::vector<Event> result;
  for (const auto& [key, event] : events_) {
    if (event.order <= last_order) result.push_back(event);
  }
  std::stable_sort(result.begin(), result.end(), [](const Event& a, const Event& b) {
    return std::tie(a.order, a.thread, a.place.line, a.place.code) <
           std::tie(b.order, b.thread, b.place.line, b.place.code);
  });
  return result;
}

}  // namespace kata::emulator
