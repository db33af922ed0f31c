#include "emulator/runtime/launch/launch.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "emulator/runtime/launch/limits.h"

namespace kata::emulator {

namespace {

/// Different blocks for orders from 0 on, far from each other: a multiplier near the golden
/// section, without a common divisor.
std::uint64_t spread(std::uint64_t order, std::uint64_t blocks) {
  auto factor = static_cast<std::uint64_t>(0.6180339887 * static_cast<double>(blocks)) | 1;
  while (std::gcd(factor, blocks) != 1) ++factor;
  return (blocks / 2 + order * factor) % blocks;
}

std::atomic<std::uint64_t> all_steps = 0;  ///< steps_done()

}  // namespace

std::uint64_t Launch::index_of(std::uint64_t order) const {
  const std::uint64_t cluster = cluster_of(order / cluster_blocks);
  if (cluster_blocks == 1) return cluster;
  auto rank = static_cast<unsigned>(order % cluster_blocks);
  if (options.schedule == Schedule::reverse) rank = cluster_blocks - 1 - rank;
  const Triple &of = config.cluster, &grid = config.grid;
  const std::uint64_t wide = grid.x / of.x, high = grid.y / of.y;
  const std::uint64_t x = cluster % wide * of.x + rank % of.x;
  const std::uint64_t y = cluster / wide % high * of.y + rank / of.x % of.y;
  const std::uint64_t z = cluster / wide / high * of.z + rank / of.x / of.y;
  return x + grid.x * (y + grid.y * z);
}

/// The number of the cluster that comes as the `order`th: of the block, where each is its own.
std::uint64_t Launch::cluster_of(std::uint64_t order) const {
  const std::uint64_t clusters = blocks / cluster_blocks;
  if (options.profile && !config.cooperative) return spread(order, clusters);
  if (!sample.clusters.empty()) return sample.clusters[order];
  switch (options.schedule) {
    case Schedule::reverse:
      return clusters - 1 - order;
    case Schedule::random: {
      // A multiplier without a common divisor visits every block once.
      std::uint64_t factor = (options.schedule_seed * 0x9e3779b97f4a7c15u >> 33) % clusters;
      while (std::gcd(factor, clusters) != 1) ++factor;
      __extension__ using Wide = unsigned __int128;
      return static_cast<std::uint64_t>((Wide{factor} * order + options.schedule_seed) % clusters);
    }
    default:
      return order;
  }
}

bool Launch::has_number(std::uint64_t number) const {
  if (!runner) return number >= own_first;
  return std::ranges::any_of(first_numbers,
                             [&](std::uint64_t first) { return number - first < wanted_blocks; });
}

void Launch::renumber() {
  const std::uint64_t last = std::exchange(first_number, number_blocks(wanted_blocks));
  if (!runner) return;
  first_numbers.push_back(first_number);
  StreamOrder::instance().renumber(last, first_number);
}

std::uint64_t Launch::capacity() const {
  const unsigned each =
      resident_blocks(threads_per_block, shared.static_bytes() + config.shared_bytes);
  return std::uint64_t{std::max(1u, each)} * limits::multiprocessors;
}

namespace {

/// Blocks that are always counted, and those of them that show how much the launch does: when one
/// behind the first is about to begin, the others are over.
constexpr std::uint64_t always_counted = 8, sized = 4;

}  // namespace

bool Launch::profiles(std::uint64_t order) const {
  return options.profile && order % ((wanted_blocks - 1) / options.profiled_blocks + 1) == 0;
}

bool Launch::counts_requests_of(std::uint64_t order) const {
  if (order < always_counted || cluster_blocks > 1 || sized_blocks < sized) return true;
  return is_among(order, share_of(options.counted_accesses));
}

bool Launch::leaves_marks(std::uint64_t order) const {
  constexpr std::uint64_t neighbours = 4;
  if (order < always_counted || order + always_counted >= blocks || cluster_blocks > 1 ||
      sized_blocks < sized)
    return true;
  return is_among(order / neighbours, share_of(options.marked_accesses));
}

double Launch::share_of(std::uint64_t accesses) const {
  const double all = static_cast<double>(sized_accesses / sized) * static_cast<double>(blocks);
  return static_cast<double>(accesses) / std::max(all, 1.0);
}

std::uint64_t steps_done() {
  return all_steps;
}

void Launch::got_on() {
  ++progress;
  if (options.checked) ++all_steps;  // else nothing shows who only looks and waits
}

std::uint64_t Launch::work_alone(std::uint64_t work_so_far) const {
  return options.profile ? work_so_far : work_so_far - std::min(work_so_far, work_when_over.load());
}

void Launch::block_is_over(std::uint64_t order, std::uint64_t accesses, std::uint64_t work_so_far) {
  work_when_over = work_so_far;
  // Of launches side by side none ends the call.
  const bool runs_all = !options.profile && options.sampled_blocks == 0 && !runner;
  if (runs_all && work_so_far >= options.access_limit && next_order < wanted_blocks) is_slow = true;
  ++finished;
  ++all_steps;
  if (options.is_slow) last_over = std::chrono::steady_clock::now();
  if (order >= sized) return;
  sized_accesses += accesses;
  ++sized_blocks;
}

/// The neighbours that ptxas merges are found before: they need the same number of requests.
void Launch::scale_requests() {
  if (counted_blocks == 0 || counted_blocks == blocks) return;
  for (auto& [instruction, made] : requests) made.scale(blocks, counted_blocks);
}

void Launch::tell_if_slow() const {
  static std::atomic<std::chrono::steady_clock::time_point> told_slow_of, told_stuck_of;
  const auto now = std::chrono::steady_clock::now();
  if (!options.is_slow || now < slow_from || told_stuck_of.load() == slow_from) return;
  const std::chrono::duration<double> alone = now - last_over.load();
  const bool is_stuck = alone.count() >= options.slow_after_s / 2;
  if ((is_stuck ? told_stuck_of : told_slow_of).exchange(slow_from) == slow_from) return;
  options.is_slow({name, finished, blocks, is_stuck});
}

bool Launch::all_stalled(const void* scheduler, std::uint64_t at) {
  const std::lock_guard lock(mutex);
  if (stalled_at != at) stalled.clear();
  stalled_at = at;
  stalled.insert(scheduler);
  return progress == at && stalled.size() == schedulers;
}

void Launch::abort(std::uint64_t order, int cuda_error) {
  const std::lock_guard lock(mutex);
  if (order >= abort_order) return;
  abort_order = order;
  error = cuda_error;
}

}  // namespace kata::emulator
