#pragma once
// How long a child process may give no answer.

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <utility>

#include "support/spent.h"

namespace kata {

using Clock = std::chrono::steady_clock;

/// A time after `start`; never, for 0 seconds.
Clock::time_point later(Clock::time_point start, double seconds);

/// How long this process did not run although it looks again at every beat: it was stopped,
/// or its machine was. Time limits do not go on meanwhile.
class Pulse {
 public:
  static constexpr std::chrono::seconds beat{1};

  explicit Pulse(Clock::time_point now) : last_(now) {}

  /// Since the last call; 0 if that is no longer than a busy machine may take.
  Clock::duration missed(Clock::time_point now);

 private:
  Clock::time_point last_;
};

/// Counts as spent_s() does, so that a busy machine is not held against the child.
class Silence {
 public:
  /// The limit is asked for after each answer. None, or 0 seconds: no limit.
  Silence(pid_t child, std::function<double()> limit_s)
      : child_(child), asked_limit_s_(std::move(limit_s)) {}

  /// When to ask is_over(), given when the last answer came.
  Clock::time_point deadline(Clock::time_point last_answer);

  /// That time does not count.
  void put_off(Clock::duration time);

  /// At the deadline. If not, there is another one.
  bool is_over();

 private:
  pid_t child_;
  std::function<double()> asked_limit_s_;
  double limit_s_ = 0;
  ProcessTimes before_;
  Clock::time_point began_ = Clock::time_point::min(), deadline_ = Clock::time_point::max();
};

}  // namespace kata
