#pragma once
// How far a right float kernel may be from xh gamma + beta, with xh = (x - mean) / sd and
// sd = sqrt(var + eps), where mean and variance are those of `count` values.

#include <algorithm>
#include <cmath>

namespace kata {

// Errors of a right kernel, with u = 2^-24:
//   mean  The roundings of a serial sum add up like a random walk, each of at most u times the sum
//         so far: s u |mean| with s = max(8, sqrt(count)), and s u sd where the mean is near 0 but
//         the partial sums are not. An error of the mean moves xh by as much, divided by sd.
//   var   s u relative, which is s u |xh| / 2 in xh. It contains the square of the mean's error,
//         which is of second order: an error of first order in mean / sd is forgiven, one of the
//         second order, as that of mean(x^2) - mean^2, is not. In a sum of very many squares the
//         small ones vanish: 0.05 (count u)^1.5 relative, twice what a serial sum showed.
//   the rest (rsqrtf, two products, a sum)  8 u of each term
inline double norm_tolerance(double count, double mean, double sd, double xh, double gamma,
                             double beta) {
  const double u = std::ldexp(1.0, -24);
  const double s = std::max(8.0, std::sqrt(count));
  const double vanished = 0.025 * std::pow(count * u, 1.5) * std::fabs(xh);
  return std::fabs(gamma) * (2 * s * u * (std::fabs(mean) / sd + 1 + std::fabs(xh)) + vanished) +
         8 * u * (std::fabs(gamma * xh) + std::fabs(beta)) + std::ldexp(1.0, -126);
}

}  // namespace kata
