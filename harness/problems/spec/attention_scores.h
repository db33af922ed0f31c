#pragma once
// Queries and keys whose scores show what a running maximum and its sum do wrong.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>

#include "problems/spec/draw.h"

namespace kata {

/// Makes a key opposite to a query: the score is -1.6e6, or as near to it as elements up to 1000
/// come. A running maximum that does not start at -infinity starts below it. Of lower scores too
/// little is known to tell a weight of 1 from one of 0, but NaN is wrong there as well: `is_lowest`
/// makes it as low as such elements can.
template <class T>
void oppose(std::span<T> query, std::span<T> key, double scale, bool is_lowest) {
  const double square = 1.6e6 / (scale * static_cast<double>(query.size()));
  const double size = is_lowest ? 1000 : std::min(1000.0, std::sqrt(square));
  for (std::size_t i = 0; i < query.size(); ++i) {
    query[i] = T(static_cast<float>(std::copysign(size, static_cast<double>(query[i]))));
    key[i] = T(-static_cast<float>(query[i]));
  }
}

/// Of `two_levels`: a query and the keys whose scores with it are 200 and, later, as far above that
/// as exp bears, each for the most part by one element, and other keys by others. Queries differ by
/// a factor, so that the levels are less far apart. With every second one all scores are negative,
/// and the later ones the lowest. Values are large, and of one sign: a sum of many overflows unless
/// weights are at most about 1.
template <class T>
class ScoresOnTwoLevels {
 public:
  ScoresOnTwoLevels(std::size_t dim, double scale) : dim_(dim), scale_(scale) {}

  /// One after the other.
  void set_queries(std::span<T> queries) const {
    constexpr float factors[] = {1, -1, 0.92f, -0.5f};
    for (std::size_t i = 0; i < queries.size(); ++i)
      queries[i] = T(factors[i / dim_ % std::size(factors)] * element(i % dim_));
  }
  void set_key(std::span<T> key, std::size_t j, std::size_t count) const {
    constexpr double first_level = 200, of_the_others = 1.0 / 64;
    for (T& x : key) x = T(static_cast<float>(of_the_others * static_cast<double>(x)));
    const std::size_t i = j % dim_;
    key[i] = T(static_cast<float>((first_level + level_of(j, count)) / (scale_ * element(i))));
  }
  static void set_values(std::span<T> values) {
    for (T& v : values) v = T(1000 * (1 + std::fabs(static_cast<float>(v))));
  }

 private:
  /// From 8 to 16, of 8 bits: exact in each type, and its product with 1 / sqrt(128) in none.
  static float element(std::size_t i) { return 8 + static_cast<float>(i * 13 % 128 | 1) / 16; }

  std::size_t dim_;
  double scale_;
};

}  // namespace kata
