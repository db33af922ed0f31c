#include "emulator/runtime/launch.h"

#include <algorithm>
#include <numeric>

#include "emulator/runtime/limits.h"

namespace kata::emulator {

namespace {

/// Different blocks for orders from 0 on, far from each other: a multiplier near the golden
/// section, without a common divisor.
std::uint64_t spread(std::uint64_t order, std::uint64_t blocks) {
  auto factor = static_cast<std::uint64_t>(0.6180339887 * static_cast<double>(blocks)) | 1;
  while (std::gcd(factor, blocks) != 1) ++factor;
  return (blocks / 2 + order * factor) % blocks;
}

}  // namespace

std::uint64_t Launch::index_of(std::uint64_t order) const {
  if (wanted_blocks < blocks) return spread(order, blocks);
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

std::uint64_t Launch::capacity() const {
  const unsigned each =
      resident_blocks(threads_per_block, shared.static_bytes() + config.shared_bytes);
  return std::uint64_t{std::max(1u, each)} * limits::multiprocessors;
}

bool Launch::all_stalled(const void* worker, std::uint64_t at) {
  const std::lock_guard lock(mutex);
  if (stalled_at != at) stalled.clear();
  stalled_at = at;
  stalled.insert(worker);
  return progress == at && stalled.size() == workers;
}

void Launch::abort(std::uint64_t order, int cuda_error) {
  const std::lock_guard lock(mutex);
  if (order >= abort_order) return;
  abort_order = order;
  error = cuda_error;
}

}  // namespace kata::emulator
