#pragma once
// How often each kernel is timed, and in which order.

#include <cstddef>
#include <vector>

namespace kata {

/// How long a kernel is called before it is timed, and how long it is timed, flushes included.
struct Effort {
  double warm_up_s = 0.025;
  double measuring_s = 0.100;
};

/// Samples of a kernel whose repetition (flush and call) takes that long: as many as fit into
/// measuring_s, at most 1000, at least 10. A slow one gets fewer than 10 where 10 would take more
/// than a second, but never fewer than 3.
int sample_count(double repetition_s, const Effort& effort);

/// Kernel i appears counts[i] times, all spread evenly over the same rounds, so that a drift of
/// the clocks hits all alike. Each round has another order: a kernel that ran behind the same one
/// each time would inherit its heat, and with it its clock (docs/timing.md).
std::vector<std::size_t> in_turn(const std::vector<int>& counts);

}  // namespace kata
