#include "problems/spec/lengths.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kata {

void fill_up(Lengths& lengths, std::int64_t left, std::int64_t most) {
  for (std::int64_t& length : lengths) {
    const std::int64_t more = std::min(left, most - length);
    length += more;
    left -= more;
  }
}

Lengths power_law(std::size_t count, std::int64_t elements, std::int64_t most,
                  const Random& random) {
  Lengths lengths(count);
  double sum = 0;
  for (std::size_t r = 1; r <= count; ++r) sum += std::pow(r, -0.75);
  std::int64_t left = elements;
  for (std::size_t r = 1; r <= count; ++r) {
    const auto wanted =
        static_cast<std::int64_t>(std::pow(r, -0.75) / sum * static_cast<double>(elements));
    lengths[r - 1] = std::min(wanted, most);
    left -= lengths[r - 1];
  }
  fill_up(lengths, left, most);
  for (std::size_t i = count; i > 1; --i) std::swap(lengths[i - 1], lengths[random.below(i, i)]);
  return lengths;
}

Lengths near_powers_of_two(std::size_t count, std::int64_t& left, std::int64_t most) {
  Lengths lengths(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t power = std::int64_t{32} << i / 3 % 7;
    lengths[i] = std::min({power - 1 + static_cast<std::int64_t>(i % 3), left, most});
    left -= lengths[i];
  }
  return lengths;
}

}  // namespace kata
