#pragma once
// Why a kernel is slower than it could be: its counters are changed as if one cause were gone, and
// the time is estimated again (timing/estimate.h). The cause that saves most is the answer.

#include <optional>
#include <string>
#include <vector>

#include "timing/estimate.h"

namespace kata::drill {

enum class Cause {
  coalescing,
  conflicts,
  atomics,
  occupancy,
  imbalance,
  launches,
  traffic,
  tail,
  // More general: only if none of the above accounts for most of it.
  latency,
  on_chip,
  instructions,
  arithmetic,
};

const char* to_string(Cause cause);
/// What it means, in a few words.
const char* meaning_of(Cause cause);
std::vector<Cause> all_causes();

inline constexpr double worth_naming = 1.25;   ///< a gain: below, no cause is the main one
inline constexpr double worth_telling = 1.05;  ///< a gain: below, the cause costs nothing

struct Causes {
  double us = 0;              ///< as it is
  std::vector<double> gains;  ///< of all_causes(): how many times as fast it would be without

  double gain(Cause cause) const { return gains[static_cast<std::size_t>(cause)]; }
  /// What it would save, in microseconds.
  double cost_us(Cause cause) const;
  /// What accounts for most of it; nothing where no cause stands out.
  std::optional<Cause> main() const;
};

/// Those that cost something, the one that costs most first.
std::vector<Cause> by_gain(const Causes& causes);

Causes causes_of(const std::vector<LaunchProfile>& launches, const Cost& cost, const Chip& chip);

/// Whether the estimate comes near enough to a measured time for its causes to be believed.
bool explains(const Causes& causes, double measured_us);

/// Whether the cause costs time, and clearly less of it afterwards.
bool relieves(const Causes& before, const Causes& after, Cause cause);

/// Whether a rung's sentence says something about that cause.
bool speaks_of(const std::string& sentence, Cause cause);

/// Of a launch: dependent steps of the longest block and of the average one.
struct BlockSteps {
  double longest = 0, average = 0;
};
BlockSteps block_steps(const LaunchProfile& profile);

}  // namespace kata::drill
