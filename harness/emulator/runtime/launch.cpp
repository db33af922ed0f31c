#include "emulator/runtime/launch.h"

#include <numeric>

namespace kata::emulator {

std::uint64_t Launch::index_of(std::uint64_t order) const {
  switch (options.schedule) {
    case Schedule::reverse:
      return blocks - 1 - order;
    case Schedule::random: {
      // A multiplier without a common divisor visits every block once.
      std::uint64_t factor = (options.schedule_seed * 0x9e3779b97f4a7c15u >> 33) % blocks;
      while (std::gcd(factor, blocks) != 1) ++factor;
      __extension__ using Wide = unsigned __int128;
      return static_cast<std::uint64_t>((Wide{factor} * order + options.schedule_seed) % blocks);
    }
    default:
      return order;
  }
}

void Launch::abort(std::uint64_t order, int cuda_error) {
  const std::lock_guard lock(mutex);
  if (order >= abort_order) return;
  abort_order = order;
  error = cuda_error;
}

}  // namespace kata::emulator
