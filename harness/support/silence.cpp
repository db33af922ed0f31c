#include "support/silence.h"

#include <algorithm>

namespace kata {

Clock::time_point later(Clock::time_point start, double seconds) {
  if (seconds <= 0) return Clock::time_point::max();
  return start +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

Clock::duration Pulse::missed(Clock::time_point now) {
  const Clock::duration gap = now - std::exchange(last_, now);
  return gap > 2 * beat ? gap - beat : Clock::duration::zero();
}

void Silence::put_off(Clock::duration time) {
  before_.clock_s += std::chrono::duration<double>(time).count();
  if (deadline_ != Clock::time_point::max()) deadline_ += time;
}

Clock::time_point Silence::deadline(Clock::time_point last_answer) {
  if (last_answer != began_) {
    began_ = last_answer;
    before_ = times_of(child_);
    limit_s_ = asked_limit_s_ ? asked_limit_s_() : 0;
    deadline_ = later(began_, limit_s_);
  }
  return deadline_;
}

bool Silence::is_over() {
  const double left_s = limit_s_ - spent_s(before_, times_of(child_));
  if (left_s <= 0) return true;
  deadline_ = later(Clock::now(), std::max(0.1, left_s));
  return false;
}

}  // namespace kata
