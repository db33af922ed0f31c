#pragma once
// Random numbers from integer arithmetic alone, the same on every machine: no
// std::normal_distribution, and no logarithm of any particular library.

#include <bit>
#include <cstdint>

namespace kata {

/// Streams of random numbers. Number i of a stream is a function of the stream's key and of i.
class Random {
 public:
  explicit Random(std::uint64_t key) : key_(key) {}

  /// SplitMix64 (Steele, Lea, Flood 2014).
  std::uint64_t word(std::uint64_t i) const {
    std::uint64_t z = key_ + (i + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// 0 to n - 1.
  std::uint64_t below(std::uint64_t i, std::uint64_t n) const { return word(i) % n; }

  /// In [0, 1), a multiple of 2^-53.
  double uniform(std::uint64_t i) const { return static_cast<double>(word(i) >> 11) * 0x1p-53; }

  /// N(0, 1), nearly: the number of heads in 64 tosses (mean 32, variance 16), smoothed by a
  /// uniform number in [-1/2, 1/2) (variance 1/12) and scaled. |value| stays under 8.2.
  double normal(std::uint64_t i) const {
    const int heads = std::popcount(word(2 * i));
    const auto fraction = static_cast<std::int64_t>(word(2 * i + 1) >> 40);
    const std::int64_t fixed_point = (std::int64_t{heads - 32} << 24) + fraction - (1 << 23);
    return static_cast<double>(fixed_point) * (0x1p-24 / 4.010403137167);  // sqrt(16 + 1/12)
  }

  /// Another stream, which `value` decides.
  Random stream(std::uint64_t value) const { return Random(Random(key_ ^ value).word(0)); }

 private:
  std::uint64_t key_;
};

}  // namespace kata
