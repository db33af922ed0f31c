#pragma once
// Sets of a warp's lanes, one bit each.

#include <array>
#include <bit>
#include <cstdint>

namespace kata::emulator {

/// Calls f(lane) for each lane of the set, from the lowest on.
template <class F>
void for_each_lane(unsigned lanes, F f) {
  for (; lanes; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

/// In byte i: how many lanes of the set are in bytes 0 to i. Not all processors can count bits.
inline unsigned lanes_up_to_bytes(unsigned lanes) {
  unsigned sums = lanes - (lanes >> 1 & 0x55555555);
  sums = (sums & 0x33333333) + (sums >> 2 & 0x33333333);
  sums = (sums + (sums >> 4)) & 0x0f0f0f0f;
  return sums * 0x01010101;
}

inline unsigned count_lanes(unsigned lanes) {
  return lanes_up_to_bytes(lanes) >> 24;
}

/// By a byte's bits, and how many of them come before: the place of a bit.
inline constexpr auto nth_bit = [] {
  std::array<std::array<std::uint8_t, 8>, 256> place{};
  for (unsigned bits = 0; bits < 256; ++bits) {
    unsigned n = 0;
    for (std::uint8_t bit = 0; bit < 8; ++bit) {
      if (bits >> bit & 1) place[bits][n++] = bit;
    }
  }
  return place;
}();

/// The lane of the set with `n` others before it. A random lane each time: without branches, which
/// a processor would mispredict.
inline unsigned nth_lane(unsigned lanes, unsigned n) {
  const unsigned up_to = lanes_up_to_bytes(lanes);
  const unsigned high_bits = 0x80808080, in_each = 0x01010101;
  const unsigned reached = ((up_to | high_bits) - (n + 1) * in_each) & high_bits;
  const unsigned low = static_cast<unsigned>(std::countr_zero(reached)) & 24;
  const unsigned before = (up_to << 8) >> low & 0xff;
  return low + nth_bit[lanes >> low & 0xff][n - before];
}

}  // namespace kata::emulator
