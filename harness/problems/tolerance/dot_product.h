#pragma once
// How far a float dot product may be from the true one: for sums, sgemv and sgemm.

#include <algorithm>
#include <cmath>
#include <span>

namespace kata {

inline bool all_equal(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [&](float v) { return v == values[0]; });
}

inline bool all_whole(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return v == std::floor(v); });
}

/// What the reference knows of the terms t[k] that a kernel adds up.
struct Terms {
  int roundings = 0;          ///< that a term goes through at most: of its product, of additions
  double sum = 0;             ///< of t[k]
  double sum_of_sizes = 0;    ///< of |t[k]|
  double sum_of_squares = 0;  ///< of t[k]^2
  bool equal = false;         ///< all terms are the same number
  bool whole = false;         ///< all terms are whole numbers
};

// The terms are added in any order, in one float or in many that are merged; u = 2^-24. The
// derivation, with its sources, is in docs/judge.md; n stands for `roundings`.
//
//   whole    Every partial sum is a whole number of at most the sum of |t|. Up to 2^24, float holds
//            them all: nothing is rounded, and a forgotten term shows, however many there are.
//   worst    n u / (1 - n u) times the sum of |t|, while n u < 1: no order of additions is further
//            off. Soon it would let a forgotten term or a half-precision product pass.
//   likely   An addition rounds its partial sum s by 0.42 u |s| at one standard deviation, and
//            independently, so that the roundings grow with the root of the sum of s^2. Its mean is
//            sum^2 / 3 for terms of one sign (s grows steadily) and at most about the sum of t^2
//            for terms of either sign (a random walk, or one outlier first). Hence
//            2 u sqrt(n) |sum|, eight standard deviations, together with 4 u sqrt(n sum of t^2),
//            nine in the worst order.
//   equal    Equal terms make every addition err alike until the sum doubles, so the worst case can
//            happen: the sum of u |s| is n u |sum| / 2.
inline double dot_tolerance(const Terms& terms) {
  const double u = std::ldexp(1.0, -24);
  const double n = terms.roundings;
  if (terms.whole && terms.sum_of_sizes <= 1 / u) return 0;
  const double worst = n * u / (1 - n * u) * terms.sum_of_sizes;
  const double likely =
      terms.equal ? u * (0.5 * n + 2) * std::abs(terms.sum)
                  : u * std::sqrt(n * (4 * terms.sum * terms.sum + 16 * terms.sum_of_squares));
  return n * u < 1 ? std::min(worst, likely) : likely;
}

}  // namespace kata
