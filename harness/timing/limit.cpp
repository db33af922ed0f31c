#include "timing/limit.h"

#include <fmt/format.h>

namespace kata {

bool is_copy(const Cost& cost) {
  return cost.bytes_written >= cost.bytes_read / 8;
}

Cost of_each_device(Cost cost, int devices) {
  cost.bytes_read /= devices;
  cost.bytes_written /= devices;
  cost.operations /= devices;
  return cost;
}

std::optional<Limit> limit(const Cost& cost, const std::vector<double>& memory_samples_us,
                           const ArithmeticRate& arithmetic) {
  if (memory_samples_us.empty()) return {};
  const double arithmetic_us = 1e6 * cost.operations / arithmetic.operations_per_s;
  const Summary memory = summarize(memory_samples_us);
  if (arithmetic_us > memory.median)
    return Limit{.name = fmt::format("limit ({})", to_string(arithmetic.unit)),
                 .us = arithmetic_us};
  return Limit{.name = cost.link_bytes > 0 ? "limit (links)"
                       : is_copy(cost)     ? "limit (copy)"
                                           : "limit (read)",
               .us = memory.median,
               .iqr_us = memory.iqr,
               .samples = static_cast<int>(memory_samples_us.size())};
}

}  // namespace kata
