#pragma once
// How far a float dot product may be from the true one: for sgemv and sgemm.

#include <algorithm>
#include <cmath>
#include <vector>

namespace kata {

inline bool all_equal(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [&](float v) { return v == values[0]; });
}

// A dot product of `length` terms t[k], added in any order, in one float or in many that are
// merged; `sum` is the sum of t[k], `sum_of_squares` of t[k]^2, u = 2^-24.
//
// Each addition rounds its partial sum s by at most u |s|, and by 0.42 u |s| at one standard
// deviation. The roundings are independent, so they grow with the root of the sum of s^2, not with
// the sum of |s|; the worst case, length * u * sum |t[k]|, would let a forgotten term or a
// half-precision product pass. Added one after the other in whatever order, the mean of s^2 is
//   sum^2 / 3             for terms of one sign (s grows steadily), and
//   at most about sum_of_squares  for terms of either sign (a random walk, or one outlier first),
// hence 2 u sqrt(length) |sum|, eight standard deviations, together with
// 4 u sqrt(length sum_of_squares), which for at most four terms is also the worst case.
//
// Where all terms are equal (`repeated`), each addition errs alike until the sum doubles, and the
// worst case can happen: the sum of u |s| is length / 2 * u |sum|. Rounding the products adds u.
inline double dot_tolerance(double sum, double sum_of_squares, int length, bool repeated) {
  const double u = std::ldexp(1.0, -24);
  if (repeated) return u * (0.5 * length + 2) * std::abs(sum);
  return u * std::sqrt(length * (4 * sum * sum + 16 * sum_of_squares));
}

}  // namespace kata
