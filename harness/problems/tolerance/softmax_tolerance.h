#pragma once
// Softmax of one vector in double precision, and how far from it a right float kernel may be.

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kata {

/// The share of their sum below which one of so many terms may be lost altogether.
inline double share_that_is_lost(double terms) {
  constexpr double many = 65536, lanes = 32;
  return std::ldexp(4.0, -24) / (terms > many ? lanes : 1);
}

// y[i] = e[i] / S with e[i] = exp(d[i]), d[i] = x[i] - max(x) <= 0 and S = sum of e[j] >= 1.
//
// Relative errors of a right kernel, in units of u = 2^-24, the unit roundoff of float:
//   e[i]      4 + 3.5 |d[i]|: __expf is off by 2 + 1.17 |d| ulp of 2u each (CUDA's own table),
//             and the rounding of d[i] itself is one more |d|. expf is well inside that.
//   S         the mean of the same under the weights e[j] / S: 4 + 3.5 mean |d|; and adding up:
//             n roundings of either sign in one float give 0.26 sqrt(n) at one standard deviation
//             (terms of one sign, by one thread, the worst order): 1.5 sqrt(n) is over five. A
//             tree needs far less. The bound n u would let a forgotten element pass.
//             Terms below a few u of the sum that they are added to may be lost altogether, each
//             with the same sign. A long vector is added by a warp at least: in 32 sums.
//             If all x are equal then every e[j] is 1 and whole numbers add without rounding.
//   merging   of partial results by the online rule: 2 at each of log2(n) levels
//   quotient  4: __fdividef, or a reciprocal and a product
//   folded    exp(x - (max + log S)) instead of a quotient is as good an answer: it rounds
//             max + log S, and takes the exponential of a larger number: 2 |max| + 3.5 log S.
//             Where |max| is so large that nothing is left of log S, e[i] is as good as y[i].
// Below the smallest normal float a kernel may flush to zero.
inline void softmax_of(const float* x, int n, double* value, double* alternative,
                       double* tolerance) {
  const double u = std::ldexp(1.0, -24);
  const double smallest_normal = std::ldexp(1.0, -126);
  const double max = *std::max_element(x, x + n);
  const bool all_equal = *std::min_element(x, x + n) == max;

  double sum = 0;
  double sum_of_distances = 0;  // of |d[j]|, weighted by e[j]
  for (int i = 0; i < n; ++i) {
    value[i] = std::exp(x[i] - max);
    sum += value[i];
    sum_of_distances += value[i] * (max - x[i]);
  }

  const double too_small = share_that_is_lost(n) * sum;
  double lost = 0;  // in all, of terms that are too small to move the sum
  for (int i = 0; i < n; ++i) {
    if (value[i] < too_small) lost += value[i];
  }

  const bool loses_log = u * std::abs(max) > 2 * std::log(sum);
  const double adding = all_equal ? 0 : 1.5 * std::sqrt(n) + lost / (u * sum);
  const double common = 4 + 4 + 4 + adding + 2 * std::log2(n) + 3.5 * sum_of_distances / sum +
                        (loses_log ? 0 : 2 * std::abs(max)) + 3.5 * std::log(sum);
  for (int i = 0; i < n; ++i) {
    alternative[i] = loses_log ? value[i] : value[i] / sum;
    value[i] /= sum;
    const double relative = u * (common + 3.5 * (max - x[i]));
    tolerance[i] = std::min(relative * value[i], 1.0) + smallest_normal;
  }
}

}  // namespace kata
