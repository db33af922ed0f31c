#include "timing/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kata {

double quantile(std::vector<double> samples, double q) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const double position = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return std::lerp(samples[below], samples[above], position - static_cast<double>(below));
}

Summary summarize(const std::vector<double>& samples) {
  return {.median = quantile(samples, 0.5),
          .iqr = quantile(samples, 0.75) - quantile(samples, 0.25)};
}

}  // namespace kata
