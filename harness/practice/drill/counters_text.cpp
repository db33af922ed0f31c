#include "practice/drill/counters_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "practice/drill/cause.h"
#include "report/hardware.h"
#include "report/layout.h"
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

constexpr double uneven = 4;  // the longest block, of an average one

std::string count_of(double value) {
  return layout::short_number(static_cast<std::uint64_t>(value + 0.5));
}

/// Of a call, what a factor can be derived from.
std::vector<std::pair<const char*, double>> totals(const std::vector<LaunchProfile>& launches) {
  std::vector<std::pair<const char*, double>> all = {{"launches", 0},     {"load requests", 0},
                                                     {"load sectors", 0}, {"store sectors", 0},
                                                     {"TMA sectors", 0},  {"shared wavefronts", 0}};
  for (const LaunchProfile& one : launches) {
    if (is_fill(one)) continue;
    const KernelRecord& counts = one.counts;
    const std::uint64_t adds[] = {counts.global_load.requests, counts.global_load.sectors,
                                  counts.global_store.sectors, one.bulk_sectors,
                                  counts.shared_load.wavefronts + counts.shared_store.wavefronts};
    const double scale = static_cast<double>(counts.blocks()) / static_cast<double>(one.blocks_run);
    ++all[0].second;
    for (std::size_t k = 0; k < std::size(adds); ++k)
      all[k + 1].second += scale * static_cast<double>(adds[k]);
  }
  return all;
}

}  // namespace

std::string counters_text(const std::vector<LaunchProfile>& launches, const Cost& cost,
                          const Chip& chip) {
  std::vector<LaunchProfile> kernels = launches;
  std::erase_if(kernels, is_fill);
  const std::vector<LaunchEstimate> estimates = estimate_launches(kernels, cost, chip);
  std::size_t longest = 0;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const auto us = [&](std::size_t at) {
      return combined(estimates[at].limiters, chip.fitted.norm);
    };
    if (us(i) > us(longest)) longest = i;
  }
  const LaunchProfile& profile = kernels[longest];
  const LaunchEstimate& estimate = estimates[longest];
  const KernelRecord& counts = profile.counts;
  const double scale =
      static_cast<double>(counts.blocks()) / static_cast<double>(profile.blocks_run);
  const auto counted = [&](std::uint64_t count) {
    return count_of(scale * static_cast<double>(count));
  };
  // As ncu gives it: what fits, however few blocks the grid has.
  const unsigned threads = counts.block[0] * counts.block[1] * counts.block[2];
  const unsigned resident =
      resident_blocks(chip.residency, threads, counts.shared_bytes,
                      profile.registers ? profile.registers : assumed_registers);
  const std::string launch =
      kernels.size() > 1 ? fmt::format(" (longest of {} launches)", kernels.size()) : "";
  std::string text =
      row("grid and block" + launch, extents(counts.grid) + ", " + extents(counts.block)) +
      row("launch__{registers_per_thread,shared_mem_per_block}",
          profile.registers ? fmt::format("{}, {}", profile.registers, counts.shared_bytes)
                            : fmt::format("?, {}", counts.shared_bytes)) +
      row("sm__maximum_warps_per_active_cycle_pct",
          fmt::format("{:.0f} %", 100.0 * resident * threads / chip.residency.threads)) +
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
    text += row("most atomics on one address", counted(profile.hottest_atomics));
  return text;
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
