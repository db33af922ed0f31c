#include "emulator/runtime/memory/event.h"

#include <algorithm>

namespace kata::emulator {

namespace {

/// How far apart those who race are, then the two that are told of: 0 for what is no race.
std::uint64_t reach(const Event& event) {
  if (event.kind != EventKind::race) return 0;
  const bool apart =
      event.block != event.other_block || event.thread / 32 != event.other_thread / 32;
  return 2 * event.amount + apart;
}

}  // namespace

void EventLog::add(const Event& event) {
  const auto [position, is_new] =
      events_.try_emplace({event.kind, event.place, event.other, reach(event)}, event);
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
    return std::tuple(reach(b), a.order, a.thread, a.place.line, a.place.code) <
           std::tuple(reach(a), b.order, b.thread, b.place.line, b.place.code);
  });
  return result;
}

}  // namespace kata::emulator
