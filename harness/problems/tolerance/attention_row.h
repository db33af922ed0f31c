#pragma once
// One query of attention in double precision, and how far from it a right kernel may be.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "problems/tolerance/dot_product.h"

namespace kata {

/// What a kernel may round weights to: the type of queries, keys and values.
enum class WeightType { f32, f16, bf16 };

/// The keys and values that a query sees: row j of each begins at j * stride.
struct KeysAndValues {
  const float* keys;
  const float* values;
  std::size_t count, stride;
  double scale = 0;  ///< of the scores; 0 means 1 / sqrt(dim)
  /// Not 0: a mistake. The weights of each so many keys are relative to the largest score so far,
  /// and are not rescaled when it grows; only their sum is.
  std::size_t unscaled_tile = 0;
  std::size_t value_dim = 0;  ///< elements of a value; 0 means as many as of a key
};

/// How often a score is above all before it, from the first key to the last or back.
inline double new_maxima(const std::vector<double>& scores) {
  const auto count = [](auto begin, auto end) {
    double most = *begin, found = 0;
    for (; begin != end; ++begin) {
      if (*begin <= most) continue;
      most = *begin;
      ++found;
    }
    return found;
  };
  return std::max(count(scores.begin(), scores.end()), count(scores.rbegin(), scores.rend()));
}

// o = sum of p[j] v[j] with p[j] = e[j] / l, e[j] = exp(s[j] - m), m = max s, l = sum of e[j] and
// s[j] = q . k[j] / sqrt(dim). All are of one type. Errors of a right kernel, with u = 2^-24:
//
//   s[j]   The error of a dot product, which kernels on CUDA cores sum as sgemm does. For halves
//          and bf16 the products are exact; a tensor core truncates sums of 16 of them, 2 u at a
//          time: (dim / 16 + 8) 2 u sum |q k|.
//   p[j]   relative: the error of s[j]; 4 u + 3.5 u |s[j] - m| for the exponential (see
//          softmax_tolerance.h); for rescaling at every new maximum 4 sqrt(n) u, or 4 u for each,
//          since a step that is always about as large errs alike. Below 4 u, p[j] may be lost
//          altogether.
//   o      An error d[j] of p[j] is one of l, too: it moves o by at most p[j] d[j] (v[j] - o). The
//          sums over n keys add dot_tolerance() and, for l, 2 sqrt(n) u |o|.
//   scale  Scaling rounds s[j] and m by 2 u (|s[j]| + |m|), and exp(s[j] - (m + log l)), as good as
//          a quotient, by 3.5 u log l more. A compiler may contract the product and the difference
//          where the weights are computed, and not where l is: then l does not have these errors,
//          and they move o by p[j] d[j] v[j].
//   half   A kernel may round e[j] to half before it multiplies by v[j]. With h = 2^-11, that is h
//          e[j] for each, independently (4 h times the root of the sum of squares) or all alike (h
//          |o|), and 2^-25 where e[j] is subnormal. The caller adds the rounding of o.
//   bf16   The same with h = 2^-8. It has no subnormal numbers above those of float.
inline void attention_row(const float* q, std::size_t dim, const KeysAndValues& kv, WeightType type,
                          double* o, double* tolerance) {
  const double u = std::ldexp(1.0, -24), h = std::ldexp(1.0, type == WeightType::bf16 ? -8 : -11);
  const double smallest_half = type == WeightType::f16 ? std::ldexp(1.0, -24) : 0;
  const bool is_short = type != WeightType::f32;
  const std::size_t value_dim = kv.value_dim > 0 ? kv.value_dim : dim;
  const double scale = kv.scale > 0 ? kv.scale : 1 / std::sqrt(static_cast<double>(dim));
  const double n = static_cast<double>(kv.count);

  std::vector<double> p(kv.count), error(kv.count);
  double max = -HUGE_VAL;
  for (std::size_t j = 0; j < kv.count; ++j) {
    Terms terms{.roundings = static_cast<int>(dim)};
    for (std::size_t c = 0; c < dim; ++c) {
      const double term = static_cast<double>(q[c]) * kv.keys[j * kv.stride + c];
      terms.sum += term;
      terms.sum_of_sizes += std::abs(term);
      terms.sum_of_squares += term * term;
    }
    p[j] = scale * terms.sum;
    const double truncated = (static_cast<double>(dim) / 16 + 8) * 2 * u * terms.sum_of_sizes;
    error[j] = scale * (is_short ? truncated : dot_tolerance(terms));
    max = std::max(max, p[j]);
  }
  const double rescaling = 4 * std::max(std::sqrt(n), new_maxima(p));
  double sum = 0;
  const std::vector<double> scores = p;
  std::vector<double> scaling(kv.count);
  for (std::size_t j = 0; j < kv.count; ++j) {
    const double s = p[j];
    error[j] += u * (4 + 3.5 * (max - s) + rescaling);
    scaling[j] = 2 * u * (std::abs(s) + std::abs(max));
    p[j] = std::exp(s - max);
    sum += p[j];
  }

  double max_so_far = -HUGE_VAL;
  for (std::size_t j = 0; kv.unscaled_tile > 0 && j < kv.count; ++j) {
    if (j % kv.unscaled_tile == 0) {
      const std::size_t end = std::min(j + kv.unscaled_tile, kv.count);
      max_so_far = std::max(max_so_far, *std::max_element(&scores[j], &scores[j] + (end - j)));
    }
    p[j] = std::exp(scores[j] - max_so_far);
  }

  std::fill(o, o + value_dim, 0.0);
  for (std::size_t j = 0; j < kv.count; ++j) {
    p[j] /= sum;
    error[j] = p[j] < 4 * u ? p[j] : p[j] * std::min(std::expm1(error[j]), 1.0);
    scaling[j] = p[j] * std::min(std::expm1(scaling[j] + 3.5 * u * std::log(sum)), 1.0);
    for (std::size_t c = 0; c < value_dim; ++c) o[c] += p[j] * kv.values[j * kv.stride + c];
  }
  for (std::size_t c = 0; c < value_dim; ++c) {
    Terms terms{.roundings = static_cast<int>(kv.count), .sum = o[c]};
    double of_p = 0, subnormal = 0;
    for (std::size_t j = 0; j < kv.count; ++j) {
      const double v = kv.values[j * kv.stride + c];
      of_p += error[j] * std::abs(v - o[c]) + scaling[j] * std::abs(v);
      terms.sum_of_sizes += p[j] * std::abs(v);
      terms.sum_of_squares += p[j] * v * p[j] * v;
      subnormal += std::min(p[j], smallest_half / 2 / sum) * std::abs(v);
    }
    tolerance[c] = of_p + dot_tolerance(terms) + u * (2 * std::sqrt(n) + 8) * std::abs(o[c]);
    if (is_short) {
      tolerance[c] += h * (4 * std::sqrt(terms.sum_of_squares) + std::abs(o[c])) + subnormal;
    }
  }
}

}  // namespace kata
