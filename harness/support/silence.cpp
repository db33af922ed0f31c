#include "support/silence.h"

#include <time.h>

#include <algorithm>

namespace kata {
namespace {

/// Seconds of processor time that a child has used.
double processor_s(pid_t child) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

}  // namespace

Clock::time_point later(Clock::time_point start, double seconds) {
  if (seconds <= 0) return Clock::time_point::max();
  return start +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

Clock::time_point Silence::deadline(Clock::time_point last_answer) {
  if (last_answer != began_) {
    began_ = last_answer;
    used_before_s_ = processor_s(child_);
    limit_s_ = asked_limit_s_ ? asked_limit_s_() : 0;
    deadline_ = later(began_, limit_s_);
  }
  return deadline_;
}

bool Silence::is_over() {
  const double used_s = processor_s(child_) - used_before_s_;
  const double wall_s = std::chrono::duration<double>(Clock::now() - began_).count();
  if (used_s >= limit_s_ || used_s < 0.01 * wall_s) return true;
  deadline_ = later(Clock::now(), std::max(0.1, limit_s_ - used_s));
  return false;
}

}  // namespace kata
