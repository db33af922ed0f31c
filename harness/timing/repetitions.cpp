#include "timing/repetitions.h"

#include <algorithm>
#include <random>

namespace kata {

int sample_count(double repetition_s, const Effort& effort) {
  constexpr double slow_total_s = 1.0;
  const auto fit_into = [repetition_s](double seconds, int at_most) {
    return static_cast<int>(std::min<double>(at_most, seconds / std::max(repetition_s, 1e-9)));
  };
  return std::max({fit_into(effort.measuring_s, 1000), fit_into(slow_total_s, 10), 3});
}

std::vector<std::size_t> in_turn(const std::vector<int>& counts) {
  std::vector<std::size_t> order;
  if (counts.empty()) return order;
  std::mt19937 random(1);
  const long rounds = *std::max_element(counts.begin(), counts.end());
  for (long round = 0; round < rounds; ++round) {
    const auto begin = static_cast<std::ptrdiff_t>(order.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      // True in exactly counts[i] of the rounds, at equal distances.
      if ((round + 1) * counts[i] / rounds > round * counts[i] / rounds) order.push_back(i);
    }
    std::shuffle(order.begin() + begin, order.end(), random);
  }
  return order;
}

}  // namespace kata
