#pragma once
// How long a child process may give no answer.

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <utility>

namespace kata {

using Clock = std::chrono::steady_clock;

/// A time after `start`; never, for 0 seconds.
Clock::time_point later(Clock::time_point start, double seconds);

/// Counts in processor time, so that a busy machine is not held against the child; in the clock's
/// for a child that hardly uses any.
class Silence {
 public:
  /// The limit is asked for after each answer. None, or 0 seconds: no limit.
  Silence(pid_t child, std::function<double()> limit_s)
      : child_(child), asked_limit_s_(std::move(limit_s)) {}

  /// When to ask is_over(), given when the last answer came.
  Clock::time_point deadline(Clock::time_point last_answer);

  /// At the deadline. If not, there is another one.
  bool is_over();

 private:
  pid_t child_;
  std::function<double()> asked_limit_s_;
  double limit_s_ = 0, used_before_s_ = 0;
  Clock::time_point began_ = Clock::time_point::min(), deadline_ = Clock::time_point::max();
};

}  // namespace kata
