#include "practice/exercise/session_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "support/files.h"

namespace kata {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

Milliseconds read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) +
         std::chrono::duration_cast<Milliseconds>(std::chrono::nanoseconds(time.tv_nsec));
}

}  // namespace

Instant instant_now() {
  return {.boot_id = read_file("/proc/sys/kernel/random/boot_id").value_or(""),
          .running = read_clock(CLOCK_MONOTONIC),
          .since_boot = read_clock(CLOCK_BOOTTIME),
          .calendar = read_clock(CLOCK_REALTIME)};
}

SessionClock SessionClock::started(const Instant& now) {
  SessionClock clock;
  clock.last_ = now;
  return clock;
}

void SessionClock::tick(const Instant& now) {
  const Milliseconds running = now.running - last_.running;
  worked_ += running;
  away_ += std::max(0ms, now.since_boot - last_.since_boot - running);  // the machine slept
  last_ = now;
}

SessionClock::Away SessionClock::resume(const Instant& now) {
  const bool same_start = now.boot_id == last_.boot_id;
  const Milliseconds gap =
      same_start ? now.since_boot - last_.since_boot : now.calendar - last_.calendar;
  const Away away{.time = std::max(0ms, gap), .by_calendar = !same_start};
  away_ += away.time;
  last_ = now;
  return away;
}

void to_json(Json& json, const SessionClock& clock) {
  json = {{"worked_ms", clock.worked_.count()},
          {"away_ms", clock.away_.count()},
          {"boot_id", clock.last_.boot_id},
          {"running_ms", clock.last_.running.count()},
          {"since_boot_ms", clock.last_.since_boot.count()},
          {"calendar_ms", clock.last_.calendar.count()}};
}

void from_json(const Json& json, SessionClock& clock) {
  const auto time = [&](const char* key) { return Milliseconds(json.at(key).get<std::int64_t>()); };
  clock.worked_ = time("worked_ms");
  clock.away_ = time("away_ms");
  clock.last_ = {.boot_id = json.at("boot_id"),
                 .running = time("running_ms"),
                 .since_boot = time("since_boot_ms"),
                 .calendar = time("calendar_ms")};
}

std::string clock_text(Milliseconds time) {
  const std::int64_t all = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  const std::int64_t seconds = std::abs(all);
  const char* const sign = all < 0 ? "-" : "";
  if (seconds < 3600) return fmt::format("{}{}:{:02}", sign, seconds / 60, seconds % 60);
  return fmt::format("{}{}:{:02}:{:02}", sign, seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string rough_text(Milliseconds time) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  const std::int64_t minutes = seconds / 60, hours = minutes / 60;
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (minutes < 60) return fmt::format("{} min", minutes);
  if (hours < 48) return fmt::format("{} h {} min", hours, minutes % 60);
  return fmt::format("{} days", hours / 24);
}

}  // namespace kata
