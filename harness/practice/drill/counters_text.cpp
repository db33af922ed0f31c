#include "practice/drill/counters_text.h"

#include <fmt/format.h>

#include <algorithm>

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

std::string count_of(double value) {
  return layout::short_number(static_cast<std::uint64_t>(value + 0.5));
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
      kernels.size() > 1 ? fmt::format(", of the longest of {} launches", kernels.size()) : "";
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
  const auto shared = [&](const char* wavefronts, const char* conflicts, const AccessCount& count) {
    if (count.wavefronts == 0) return std::string();
    return row(wavefronts, counted(count.wavefronts)) + row(conflicts, counted(count.conflicts));
  };
  text += shared(ncu::shared_load_wavefronts, ncu::shared_load_conflicts, counts.shared_load) +
          shared(ncu::shared_store_wavefronts, ncu::shared_store_conflicts, counts.shared_store);
  if (profile.hottest_atomics)
    text += row("most atomics on one address", counted(profile.hottest_atomics));
  return text;
}

}  // namespace kata::drill
