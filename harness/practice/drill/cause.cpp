#include "practice/drill/cause.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "support/text.h"
#include "timing/occupancy.h"

namespace kata::drill {
namespace {

constexpr double most_of = 0.5;     // of the general cause's gain, by logarithm
constexpr double stands_out = 1.3;  // from the next one of its sort, by logarithm

struct CauseWords {
  const char *name, *meaning;
  const char* stems;  ///< of words by which a sentence speaks of it
};

constexpr CauseWords cause_words[] = {
    {"uncoalesced", "a warp's lanes use few bytes of each sector",
     "coalesc|neighbouring|sector|float4"},
    {"bank conflicts", "accesses to shared memory take turns at the banks", "bank|padd|swizzl"},
    {"atomics", "atomics on one address take turns", "atomic"},
    {"low occupancy", "registers or shared memory leave room for few blocks",
     "occupancy|registers"},
    {"imbalance", "one block has much more work than the others, and the rest of the chip waits",
     "balance|same number"},
    {"launches", "many launches with little work in each", "launch"},
    {"extra traffic", "more bytes cross device memory than the operator needs",
     "traffic|twice|again"},
    {"idle SMs",
     "some multiprocessors have no block: the grid is small, or its last wave partly empty",
     "idle|wave|persistent|cluster|split"},
    {"latency", "too few independent loads or steps are in flight",
     "latency|in flight|ahead|prefetch|s per thread|s per lane|float4"},
    {"on-chip loads", "too many loads from L1 or shared memory for each operation",
     "shared memory|L1|loads"},
    {"instructions", "too many instructions for each byte or operation", "instruction|divi"},
    {"arithmetic", "the arithmetic units that it uses are at their peak", "tensor core|dp4a|mma"}};

constexpr bool is_general(Cause cause) {
  return cause >= Cause::latency;
}

double product(const std::array<unsigned, 3>& d) {
  return 1.0 * d[0] * d[1] * d[2];
}

void make_ideal(AccessCount& count) {
  count.sectors = count.ideal_sectors;
}

void without_conflicts(AccessCount& count) {
  count.wavefronts -= count.conflicts;
  count.conflicts = 0;
}

/// The launch's counters without that cause; those that are no counters stay.
LaunchProfile without(LaunchProfile profile, Cause cause) {
  KernelRecord& counts = profile.counts;
  const auto all_sectors = [&] { return counts.global_load.sectors + counts.global_store.sectors; };
  if (cause == Cause::coalescing) {
    const auto before = static_cast<double>(std::max<std::uint64_t>(all_sectors(), 1));
    make_ideal(counts.global_load);
    make_ideal(counts.global_store);
    profile.lines = static_cast<std::uint64_t>(static_cast<double>(profile.lines) *
                                               static_cast<double>(all_sectors()) / before);
  }
  if (cause == Cause::conflicts) {
    without_conflicts(counts.shared_load);
    without_conflicts(counts.shared_store);
  }
  if (cause == Cause::atomics) profile.hottest_atomics = 0;
  if (cause == Cause::occupancy) {
    profile.registers = assumed_registers;
    counts.shared_bytes = 0;
  }
  if (cause == Cause::imbalance) {
    const auto blocks = static_cast<double>(std::max<std::uint64_t>(profile.blocks_run, 1));
    Steps& longest = profile.longest = profile.steps;
    for (double* one : {&longest.far_loads, &longest.near_loads, &longest.hidden_loads,
                        &longest.shared_loads, &longest.warp_operations, &longest.barriers,
                        &longest.atomics, &longest.mma, &longest.wgmma})
      *one /= blocks;
  }
  return profile;
}

/// The share of the launch's waves that its blocks fill, if so many run at once.
double filled(double blocks, double at_once) {
  return blocks / at_once / std::ceil(blocks / at_once);
}

/// Of the time that a limiter takes, what is left without that cause. `least`: the share of the
/// launch's traffic that the operator needs.
Limiters without(Limiters limiters, Cause cause, const LaunchProfile& profile, const Chip& chip,
                 double least) {
  if (cause == Cause::traffic) {
    limiters.memory *= least;
    limiters.l2 *= least;
  }
  if (cause == Cause::tail) {
    const double blocks = product(profile.counts.grid);
    const unsigned resident = resident_blocks(
        chip.residency, static_cast<unsigned>(product(profile.counts.block)),
        profile.counts.shared_bytes, profile.registers ? profile.registers : assumed_registers);
    const double at_once = double(chip.multiprocessors) * std::max(resident, 1u);
    const double share = filled(blocks, chip.multiprocessors);
    for (double* one :
         {&limiters.l1, &limiters.issue, &limiters.arithmetic, &limiters.tensor, &limiters.alone})
      *one *= share;
    // A block takes as long as it takes, whatever runs beside it: only multiprocessors without a
    // block, or a last wave of few, are idle.
    limiters.latency *= blocks < chip.multiprocessors ? share
                        : blocks > at_once            ? filled(blocks, at_once)
                                                      : 1;
  }
  if (cause == Cause::latency) limiters.latency = 0;
  if (cause == Cause::on_chip) limiters.l1 = limiters.alone = 0;
  if (cause == Cause::instructions) limiters.issue = 0;
  if (cause == Cause::arithmetic) limiters.arithmetic = limiters.tensor = 0;
  return limiters;
}

double bytes_of(const std::vector<LaunchEstimate>& estimates) {
  double bytes = 0;
  for (const LaunchEstimate& one : estimates) bytes += one.read_bytes + one.written_bytes;
  return bytes;
}

constexpr bool changes_counters(Cause cause) {
  return cause <= Cause::imbalance;
}

/// A call whose launches are all kernels.
struct Call {
  std::vector<LaunchProfile> launches;
  const Cost& cost;
  const Chip& chip;
  std::vector<LaunchEstimate> estimates = {};  ///< as it is

  double seconds(std::optional<Cause> cause) const;
};

/// Nothing for `cause`: as it is. The first launch cannot be saved.
double Call::seconds(std::optional<Cause> cause) const {
  std::vector<LaunchEstimate> changed = estimates;
  if (cause && changes_counters(*cause)) {
    std::vector<LaunchProfile> others;
    for (const LaunchProfile& one : launches) others.push_back(without(one, *cause));
    changed = estimate_launches(others, cost, chip);
  }
  const double least =
      std::min(1.0, (cost.bytes_read + cost.bytes_written) / std::max(bytes_of(estimates), 1.0));
  const bool merged = cause == Cause::launches;
  double sum =
      chip.fitted.call_overhead_s +
      (merged ? 0 : chip.fitted.next_launch_s * (static_cast<double>(launches.size()) - 1));
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const Limiters& all = changed[i].limiters;
    const Limiters left = cause ? without(all, *cause, launches[i], chip, least) : all;
    sum += combined(left, chip.fitted.norm);
  }
  return sum;
}

/// The largest of its sort, by the logarithm of its gain.
struct Largest {
  Cause cause = Cause::coalescing;
  double gain = 0, next = 0;

  std::optional<Cause> alone() const {
    return gain >= stands_out * next ? std::optional(cause) : std::nullopt;
  }
};

Largest largest_of(const Causes& causes, bool general) {
  Largest best;
  for (const Cause one : all_causes()) {
    if (is_general(one) != general) continue;
    const double gain = std::log(std::max(causes.gain(one), 1.0));
    if (gain > best.gain)
      best = {one, gain, best.gain};
    else
      best.next = std::max(best.next, gain);
  }
  return best;
}

}  // namespace

const char* to_string(Cause cause) {
  return cause_words[static_cast<std::size_t>(cause)].name;
}

const char* meaning_of(Cause cause) {
  return cause_words[static_cast<std::size_t>(cause)].meaning;
}

std::vector<Cause> all_causes() {
  std::vector<Cause> all;
  for (std::size_t i = 0; i < std::size(cause_words); ++i) all.push_back(static_cast<Cause>(i));
  return all;
}

std::optional<Cause> Causes::main() const {
  const Largest special = largest_of(*this, false), general = largest_of(*this, true);
  const double least = std::log(worth_naming);
  if (special.gain >= std::max(least, most_of * general.gain)) return special.alone();
  return general.gain >= least ? general.alone() : std::nullopt;
}

std::vector<Cause> by_gain(const Causes& causes) {
  std::vector<Cause> sorted = all_causes();
  std::ranges::stable_sort(sorted, std::greater(), [&](Cause one) { return causes.gain(one); });
  std::erase_if(sorted, [&](Cause one) { return causes.gain(one) < worth_telling; });
  return sorted;
}

Causes causes_of(const std::vector<LaunchProfile>& launches, const Cost& cost, const Chip& chip) {
  Call call{launches, cost, chip};
  std::erase_if(call.launches, is_fill);
  call.estimates = estimate_launches(call.launches, cost, chip);
  Causes causes{.us = 1e6 * call.seconds({}), .gains = {}};
  for (const Cause one : all_causes())
    causes.gains.push_back(causes.us / (1e6 * call.seconds(one)));
  return causes;
}

double Causes::cost_us(Cause cause) const {
  return us * (1 - 1 / std::max(gain(cause), 1.0));
}

bool explains(const Causes& causes, double measured_us) {
  constexpr double within = 1.35;
  const double off = causes.us / measured_us;
  return off <= within && 1 / off <= within;
}

bool relieves(const Causes& before, const Causes& after, Cause cause) {
  constexpr double noticeable = 0.8;
  return before.gain(cause) >= worth_telling &&
         after.cost_us(cause) <= noticeable * before.cost_us(cause);
}

bool speaks_of(const std::string& sentence, Cause cause) {
  const std::string_view stems = cause_words[static_cast<std::size_t>(cause)].stems;
  return std::ranges::any_of(split(std::string(stems), '|'), [&](const std::string& stem) {
    return sentence.find(stem) != std::string::npos;
  });
}

BlockSteps block_steps(const LaunchProfile& profile) {
  const auto sum = [](const Steps& one) {
    return one.far_loads + one.near_loads + one.hidden_loads + one.shared_loads;
  };
  const auto blocks = static_cast<double>(std::max<std::uint64_t>(profile.blocks_run, 1));
  return {sum(profile.longest), sum(profile.steps) / blocks};
}

}  // namespace kata::drill
