#pragma once
// How long a child process may give no answer.

#include <sys/types.h>

#include <chrono>

namespace kata {

using Clock = std::chrono::steady_clock;

/// A time after `start`; never, for 0 seconds.
Clock::time_point later(Clock::time_point start, double seconds);

/// Counts in processor time, so that a busy machine is not held against the child; in the clock's
/// for a child that hardly uses any.
class Silence {
 public:
  /// 0 seconds: no limit.
  Silence(pid_t child, double limit_s) : child_(child), limit_s_(limit_s) {}

  /// When to ask is_over(), given when the last answer came.
  Clock::time_point deadline(Clock::time_point last_answer);

  /// At the deadline. If not, there is another one.
  bool is_over();

 private:
  pid_t child_;
  double limit_s_, used_before_s_ = 0;
  Clock::time_point began_ = Clock::time_point::min(), deadline_ = Clock::time_point::max();
};

}  // namespace kata
