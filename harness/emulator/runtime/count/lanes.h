#pragma once
// Sets of a warp's lanes, one bit each.

#include <bit>

namespace kata::emulator {

/// Calls f(lane) for each lane of the set, from the lowest on.
template <class F>
void for_each_lane(unsigned lanes, F f) {
  for (; lanes; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

/// The lane with so many others of the set before it.
inline unsigned nth_lane(unsigned lanes, unsigned n) {
  for (; n > 0; --n) lanes &= lanes - 1;
  return static_cast<unsigned>(std::countr_zero(lanes));
}

}  // namespace kata::emulator
