#include "practice/drill/counters_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "practice/drill/cause.h"
#include "report/hardware.h"
#include "report/layout.h"
#include "support/text.h"
#include "timing/occupancy.h"

namespace kata::drill {
namespace {

std::string extents(const std::array<unsigned, 3>& d) {
  return fmt::format("{}x{}x{}", d[0], d[1], d[2]);
}

std::string row(const std::string& metric, const std::string& value) {
  constexpr std::size_t columns = 78;
  return fmt::format("  {}{:>{}}\n", metric, value, columns - metric.size());
}

constexpr double bytes_of_a_sector = 32;
constexpr double uneven = 4;  // the longest block, of an average one

std::string count_of(double value) {
  return layout::short_number(static_cast<std::uint64_t>(value + 0.5));
}

double scale_of(const LaunchProfile& profile) {
  return static_cast<double>(profile.counts.blocks()) / static_cast<double>(profile.blocks_run);
}

/// As a profiler gives it: what fits, however few blocks the grid has.
unsigned resident_of(const LaunchProfile& profile, const Chip& chip) {
  const std::array<unsigned, 3>& block = profile.counts.block;
  return resident_blocks(chip.residency, block[0] * block[1] * block[2],
                         profile.counts.shared_bytes,
                         profile.registers ? profile.registers : assumed_registers);
}

double threads_of(const LaunchProfile& profile) {
  const std::array<unsigned, 3>& block = profile.counts.block;
  return 1.0 * block[0] * block[1] * block[2];
}

/// Blocks that run share an address, or each has its own.
double hottest_of(const LaunchProfile& profile) {
  return static_cast<double>(profile.hottest_atomics) *
         (profile.hottest_is_shared ? scale_of(profile) : 1);
}

std::vector<LaunchProfile> kernels_of(std::vector<LaunchProfile> launches) {
  std::erase_if(launches, is_fill);
  return launches;
}

std::size_t longest_of(const std::vector<LaunchEstimate>& estimates, const Chip& chip) {
  const auto longest = std::ranges::max_element(estimates, {}, [&](const LaunchEstimate& one) {
    return combined(one.limiters, chip.fitted.norm);
  });
  return static_cast<std::size_t>(longest - estimates.begin());
}

/// "1 block", "32 blocks"
std::string some(double count, const std::string& what) {
  const std::string number = count_of(count);
  return number + " " + what + (number == "1" ? "" : "s");
}

std::string waste_text(const LaunchProfile& profile) {
  const AccessCount &load = profile.counts.global_load, &store = profile.counts.global_store;
  const bool is_load = load.sectors - load.ideal_sectors >= store.sectors - store.ideal_sectors;
  const AccessCount& worse = is_load ? load : store;
  const double scale = scale_of(profile);
  const std::string sectors = count_of(scale * static_cast<double>(worse.sectors)),
                    fewest = count_of(scale * static_cast<double>(worse.ideal_sectors));
  return fmt::format("{} {} sectors, {}", sectors, is_load ? "load" : "store",
                     sectors == fewest ? "the fewest for these bytes"
                                       : "where " + fewest + " would hold the bytes");
}

std::string idle_text(const LaunchProfile& profile, const Chip& chip) {
  const auto blocks = static_cast<double>(profile.counts.blocks());
  const double at_once = 1.0 * chip.multiprocessors * resident_of(profile, chip);
  const std::string all =
      fmt::format("{} for {} multiprocessors", some(blocks, "block"), chip.multiprocessors);
  if (blocks <= at_once) return all;
  const double whole = std::floor((blocks - 1) / at_once);
  return fmt::format("{}, {:.0f} at once: the last wave has {:.0f}", all, at_once,
                     blocks - whole * at_once);
}

/// By Little's law: what is asked for at once, and what the memory delivers while one load waits.
std::string in_flight_text(const LaunchProfile& profile, double loads, const Chip& chip) {
  const auto blocks = static_cast<double>(profile.counts.blocks());
  const double together =
      std::min<double>(resident_of(profile, chip), std::ceil(blocks / chip.multiprocessors));
  const double in_flight = together * bytes_of_a_sector *
                           static_cast<double>(profile.counts.global_load.sectors) / loads;
  const double busy = chip.memory_bytes_per_s * chip.fitted.memory_latency_s / chip.multiprocessors;
  return fmt::format(
      "; a multiprocessor has some {} bytes of loads in flight, and {} keep the memory busy",
      count_of(in_flight), count_of(busy));
}

std::string chain_text(const LaunchProfile& profile, const Chip& chip) {
  const auto blocks = static_cast<double>(profile.blocks_run);
  const Steps& steps = profile.steps;
  std::vector<std::string> parts;
  const double loads = steps.far_loads + steps.near_loads + steps.hidden_loads;
  for (const auto& [what, where, sum] :
       {std::tuple{"load", " from device memory", loads},
        std::tuple{"load", " from shared memory", steps.shared_loads},
        std::tuple{"shuffle", "", steps.warp_operations}, std::tuple{"barrier", "", steps.barriers},
        std::tuple{"atomic", "", steps.atomics}}) {
    if (sum >= blocks) parts.push_back(some(sum / blocks, what) + where);
  }
  const unsigned resident = resident_of(profile, chip);
  const std::string waves =
      fmt::format("{} of blocks, of which {} on a multiprocessor",
                  some(std::ceil(static_cast<double>(profile.counts.blocks()) /
                                 (1.0 * chip.multiprocessors * resident)),
                       "wave"),
                  resident == 1 ? "1 fits" : fmt::format("{} fit", resident));
  if (parts.empty()) return waves;
  return waves + "; a block waits for " + joined(parts, ", ") + ", one after another" +
         (steps.far_loads >= blocks && profile.bulk_sectors == 0
              ? in_flight_text(profile, loads, chip)
              : "");
}

std::string occupancy_text(const LaunchProfile& profile, const Chip& chip) {
  const unsigned blocks = resident_of(profile, chip);
  const double threads = threads_of(profile);
  return fmt::format("{} of {:.0f} threads fit on a multiprocessor, {:.0f} % of its threads",
                     some(blocks, "block"), threads,
                     100 * blocks * threads / chip.residency.threads);
}

/// Of the causes that one launch shows.
std::string evidence_in(const LaunchProfile& profile, Cause cause, const Cost& cost,
                        const Chip& chip) {
  const KernelRecord& counts = profile.counts;
  const AccessCount &load = counts.shared_load, &store = counts.shared_store;
  const auto counted = [&](std::uint64_t count) {
    return count_of(scale_of(profile) * static_cast<double>(count));
  };
  const std::string wavefronts = counted(load.wavefronts + store.wavefronts);
  const BlockSteps steps = block_steps(profile);
  switch (cause) {
    case Cause::coalescing:
      return waste_text(profile);
    case Cause::conflicts:
      return fmt::format("{} of {} wavefronts of shared memory are conflicts",
                         counted(load.conflicts + store.conflicts), wavefronts);
    case Cause::atomics:
      return count_of(hottest_of(profile)) + " atomics on one address, one after the other";
    case Cause::occupancy:
      return occupancy_text(profile, chip);
    case Cause::imbalance:
      return fmt::format(
          "the longest block has {} loads that wait for each other, an average one {}",
          count_of(steps.longest), count_of(steps.average));
    case Cause::tail:
      return idle_text(profile, chip);
    case Cause::latency:
      return chain_text(profile, chip);
    case Cause::on_chip:
      return fmt::format("{}{} lines of the L1 for {} operations",
                         load.requests + store.requests > 0
                             ? wavefronts + " wavefronts of shared memory and "
                             : "",
                         counted(profile.lines), count_of(cost.operations));
    default:
      return fmt::format("{} loads and stores of whole warps for {} operations",
                         counted(load.requests + store.requests + counts.global_load.requests +
                                 counts.global_store.requests),
                         count_of(cost.operations));
  }
}

/// Of a call, what a factor can be derived from.
std::vector<std::pair<const char*, double>> totals(const std::vector<LaunchProfile>& launches) {
  std::vector<std::pair<const char*, double>> all = {
      {"launches", 0},
      {"load requests", 0},
      {"load sectors", 0},
      {"store sectors", 0},
      {"TMA sectors", 0},
      {"shared wavefronts", 0},
      {"most atomics on one address", 0},
      {"loads of the longest block that wait for each other", 0}};
  for (const LaunchProfile& one : launches) {
    if (is_fill(one)) continue;
    const KernelRecord& counts = one.counts;
    const std::uint64_t adds[] = {counts.global_load.requests, counts.global_load.sectors,
                                  counts.global_store.sectors, one.bulk_sectors,
                                  counts.shared_load.wavefronts + counts.shared_store.wavefronts};
    const double scale = scale_of(one);
    ++all[0].second;
    for (std::size_t k = 0; k < std::size(adds); ++k)
      all[k + 1].second += scale * static_cast<double>(adds[k]);
    const BlockSteps steps = block_steps(one);
    if (one.hottest_atomics) all[6].second += hottest_of(one);
    if (steps.longest >= uneven * steps.average) all[7].second += steps.longest;
  }
  return all;
}

}  // namespace

std::string counters_text(const std::vector<LaunchProfile>& launches, const Cost& cost,
                          const Chip& chip) {
  const std::vector<LaunchProfile> kernels = kernels_of(launches);
  const std::vector<LaunchEstimate> estimates = estimate_launches(kernels, cost, chip);
  const std::size_t longest = longest_of(estimates, chip);
  const LaunchProfile& profile = kernels[longest];
  const LaunchEstimate& estimate = estimates[longest];
  const KernelRecord& counts = profile.counts;
  const double scale = scale_of(profile);
  const auto counted = [&](std::uint64_t count) {
    return count_of(scale * static_cast<double>(count));
  };
  const std::string launch =
      kernels.size() > 1 ? fmt::format(" (longest of {} launches)", kernels.size()) : "";
  std::string text =
      row("grid and block" + launch, extents(counts.grid) + ", " + extents(counts.block)) +
      row("launch__{registers_per_thread,shared_mem_per_block}",
          profile.registers ? fmt::format("{}, {}", profile.registers, counts.shared_bytes)
                            : fmt::format("?, {}", counts.shared_bytes)) +
      row("sm__maximum_warps_per_active_cycle_pct",
          fmt::format("{:.0f} %", 100 * resident_of(profile, chip) * threads_of(profile) /
                                      chip.residency.threads)) +
      row("dram__bytes_{read,write}.sum",
          count_of(estimate.read_bytes) + ", " + count_of(estimate.written_bytes));
  for (const auto& [kind, count] :
       {std::pair{"ld", counts.global_load}, std::pair{"st", counts.global_store}})
    text += row(fmt::format("l1tex__t_{{requests,sectors}}_pipe_lsu_mem_global_op_{}.sum", kind),
                counted(count.requests) + ", " + counted(count.sectors));
  const AccessCount &load = counts.shared_load, &store = counts.shared_store;
  if (load.wavefronts + store.wavefronts > 0)
    text += row("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}.sum",
                counted(load.wavefronts) + ", " + counted(store.wavefronts)) +
            row("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{ld,st}.sum",
                counted(load.conflicts) + ", " + counted(store.conflicts));
  const BlockSteps steps = block_steps(profile);
  if (steps.longest >= uneven * steps.average)
    text += row("dependent loads of the longest block, of an average one",
                count_of(steps.longest) + ", " + count_of(steps.average));
  if (profile.hottest_atomics)
    text += row("most atomics on one address", count_of(hottest_of(profile)));
  if (profile.shared_atomic_turns)
    text += row("turns of atomics in shared memory, one for each lane at one address",
                counted(profile.shared_atomic_turns));
  return text;
}

std::string evidence_of(Cause cause, const std::vector<LaunchProfile>& launches, const Cost& cost,
                        const Chip& chip) {
  const std::vector<LaunchProfile> kernels = kernels_of(launches);
  const std::vector<LaunchEstimate> estimates = estimate_launches(kernels, cost, chip);
  const std::size_t longest = longest_of(estimates, chip);
  if (cause == Cause::launches)
    return fmt::format("{} launches; each after the first costs {:g} us", kernels.size(),
                       1e6 * chip.fitted.next_launch_s);
  if (cause == Cause::traffic) {
    double bytes = 0;
    for (const LaunchEstimate& one : estimates) bytes += one.read_bytes + one.written_bytes;
    return fmt::format("{} bytes cross device memory, where {} would do", count_of(bytes),
                       count_of(cost.bytes_read + cost.bytes_written));
  }
  if (cause == Cause::arithmetic)
    return fmt::format(
        "its operations alone take {:.1f} us at the peak",
        1e6 * std::max(estimates[longest].limiters.arithmetic, estimates[longest].limiters.tensor));
  return evidence_in(kernels[longest], cause, cost, chip);
}

std::string changes_text(const std::vector<LaunchProfile>& before,
                         const std::vector<LaunchProfile>& after) {
  constexpr double noticeable = 1.25;
  if (after.empty()) return {};
  const auto from = totals(before), to = totals(after);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto [less, more] = std::minmax(from[i].second, to[i].second);
    if (more >= noticeable * less && more > 0)
      parts.push_back(fmt::format("{} {} -> {}", from[i].first, count_of(from[i].second),
                                  count_of(to[i].second)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace kata::drill
