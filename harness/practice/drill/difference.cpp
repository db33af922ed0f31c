#include "practice/drill/difference.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

std::string what_differs(const Problem& problem, const TimedSize& size, const TimedRung& slower,
                         const TimedRung& faster) {
  const Result<Chip> chip = find_chip_of(size.device);
  const KeptProfiles kept(problem);
  const Profiled* const before = kept.find(source_key(slower.rung), size.shape);
  const Profiled* const after = kept.find(source_key(faster.rung), size.shape);
  if (!chip || !before || !before->launches || !after || !after->launches) return {};
  const Cost cost = problem.cost(size.shape);
  const Causes of_slower = causes_of(*before->launches, cost, *chip),
               of_faster = causes_of(*after->launches, cost, *chip);
  const std::optional<Cause> cause = cause_between(of_slower, of_faster);
  if (!cause || of_slower.us <= of_faster.us || !explains(of_slower, slower.row.median_us) ||
      !explains(of_faster, faster.row.median_us))
    return {};
  return fmt::format(
      "{} ({}): {}. By kata's estimate this costs it {}, and the faster one {}", to_string(*cause),
      meaning_of(*cause), evidence_of(*cause, *before->launches, cost, *chip),
      time_text(of_slower.cost_us(*cause)),
      of_faster.gain(*cause) < worth_telling ? "nothing" : time_text(of_faster.cost_us(*cause)));
}

std::string what_changes(const Problem& problem, const TimedSize& size, const TimedRung& from,
                         const TimedRung& to) {
  const KeptProfiles kept(problem);
  const Profiled* const before = kept.find(source_key(from.rung), size.shape);
  const Profiled* const after = kept.find(source_key(to.rung), size.shape);
  if (!before || !before->launches || !after || !after->launches) return {};
  return changes_text(*before->launches, *after->launches);
}

}  // namespace kata::drill
