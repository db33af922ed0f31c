#include "practice/drill/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "grading/kept_profiles.h"
#include "practice/drill/cause.h"
#include "practice/drill/counters_text.h"

namespace kata::drill {
namespace {

/// What costs the slower rung most of the time that the faster one saves.
std::optional<Cause> cause_between(const Causes& slower, const Causes& faster) {
  const auto saved = [&](Cause one) { return slower.cost_us(one) - faster.cost_us(one); };
  const std::vector<Cause> all = all_causes();
  const Cause most = *std::ranges::max_element(all, {}, saved);
  constexpr double least_share = 0.3;  // of the time that is saved
  return saved(most) >= least_share * (slower.us - faster.us) ? std::optional(most) : std::nullopt;
}

using Launches = std::vector<LaunchProfile>;

/// What is kept of both rungs at this size; nothing where one has none.
std::optional<std::pair<Launches, Launches>> launches_of(const Problem& problem,
                                                         const TimedSize& size,
                                                         const TimedRung& one,
                                                         const TimedRung& other) {
  const KeptProfiles kept(problem);
  const Profiled* const first = kept.find(source_key(one.rung), size.shape);
  const Profiled* const second = kept.find(source_key(other.rung), size.shape);
  if (!first || !first->launches || !second || !second->launches) return {};
  return {{*first->launches, *second->launches}};
}

}  // namespace

std::string what_differs(const Problem& problem, const TimedSize& size, const TimedRung& slower,
                         const TimedRung& faster) {
  const Result<Chip> chip = find_chip_of(size.device);
  const auto launches = launches_of(problem, size, slower, faster);
  if (!chip || !launches) return {};
  const auto& [before, after] = *launches;
  const Cost cost = problem.cost(size.shape);
  const Causes of_slower = causes_of(before, cost, *chip),
               of_faster = causes_of(after, cost, *chip);
  const std::optional<Cause> cause = cause_between(of_slower, of_faster);
  if (!cause || of_slower.us <= of_faster.us || !explains(of_slower, slower.row.median_us) ||
      !explains(of_faster, faster.row.median_us))
    return {};
  return fmt::format(
      "{} ({}): {}. By kata's estimate this costs it {}, and the faster one {}", to_string(*cause),
      meaning_of(*cause), evidence_of(*cause, before, cost, *chip),
      time_text(of_slower.cost_us(*cause)),
      of_faster.gain(*cause) < worth_telling ? "nothing" : time_text(of_faster.cost_us(*cause)));
}

std::string what_changes(const Problem& problem, const TimedSize& size, const TimedRung& from,
                         const TimedRung& to) {
  const auto launches = launches_of(problem, size, from, to);
  return launches ? changes_text(launches->first, launches->second) : "";
}

}  // namespace kata::drill
