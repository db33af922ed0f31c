#include "emulator/runtime/run/mbarriers.h"

#include <algorithm>

namespace kata::emulator {

void PhasesSeen::add(unsigned thread, std::uint64_t who, std::uint64_t complete) {
  if (threads_.size() <= thread) threads_.resize(thread + 1);
  auto& seen = threads_[thread];
  if (seen[0].complete == complete) return;
  std::rotate(seen.begin(), seen.end() - 1, seen.end());
  seen[0] = {who, complete};
}

std::uint64_t PhasesSeen::known_alone(unsigned thread) const {
  return thread < threads_.size() ? threads_[thread][0].complete : 0;
}

std::uint64_t PhasesSeen::known(unsigned thread, const BlockOrder& order) const {
  std::uint64_t most = known_alone(thread);
  for (const auto& of_thread : threads_) {
    for (const Seen& seen : of_thread) {
      if (seen.complete > most && order.comes_before({seen.who, 0}, thread)) most = seen.complete;
    }
  }
  return most;
}

MissingPhase Mbarrier::missing() const {
  return {.phase = phase,
          .arrivals = pending,
          .expected_arrivals = expected,
          .bytes = bytes,
          .expected_bytes = bytes_expected,
          .copies = copies};
}

}  // namespace kata::emulator
