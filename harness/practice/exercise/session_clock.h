#pragma once
// How long a person worked on an interview and how long they were away. It survives the end of the
// process, a restart of the machine and a change of its calendar.

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace kata {

using Milliseconds = std::chrono::milliseconds;

/// One moment on all of the machine's clocks.
struct Instant {
  std::string boot_id;        ///< differs after each start of the machine
  Milliseconds running{};     ///< CLOCK_MONOTONIC: stands still while the machine sleeps
  Milliseconds since_boot{};  ///< CLOCK_BOOTTIME: goes on
  Milliseconds calendar{};    ///< CLOCK_REALTIME, since 1970: can be set
};

Instant instant_now();

/// Time counts as worked while the session runs and the machine is awake. The calendar is used only
/// after a restart of the machine: no other clock continues then.
class SessionClock {
 public:
  static SessionClock started(const Instant& now);

  /// The session runs, and has run since the last tick.
  void tick(const Instant& now);

  struct Away {
    Milliseconds time{};
    bool by_calendar = false;  ///< the machine was restarted: as exact as its calendar
  };

  /// The session goes on after it was left, or killed, at the last tick: how long ago.
  Away resume(const Instant& now);

  Milliseconds worked() const { return worked_; }
  Milliseconds away() const { return away_; }

  friend void to_json(nlohmann::json& json, const SessionClock& clock);
  friend void from_json(const nlohmann::json& json, SessionClock& clock);

 private:
  Milliseconds worked_{}, away_{};
  Instant last_;
};

/// "12:05", "1:02:03", "-0:30".
std::string clock_text(Milliseconds time);

/// "45 s", "12 min", "2 h 13 min", "3 days".
std::string rough_text(Milliseconds time);

}  // namespace kata
