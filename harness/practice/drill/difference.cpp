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

/// A cause, and its share of the time that the faster rung saves.
struct Explanation {
  Cause cause = Cause::coalescing;
  double share = 0;
};

/// What costs the slower rung most of the time that the faster one saves; of causes that account
/// for nearly as much the one that the upper rung is about.
std::optional<Explanation> explanation_of(const Causes& slower, const Causes& faster,
                                          const std::string& idea) {
  constexpr double least = 0.3, nearly = 0.6;
  const auto share_of = [&](Cause one) {
    return (slower.cost_us(one) - faster.cost_us(one)) / (slower.us - faster.us);
  };
  const std::vector<Cause> all = all_causes();
  const double most = share_of(*std::ranges::max_element(all, {}, share_of));
  const auto weight = [&](Cause one) {
    const double share = share_of(one);
    return share + (share >= nearly * most && speaks_of(idea, one) ? most : 0);
  };
  const Cause best = *std::ranges::max_element(all, {}, weight);
  return share_of(best) >= least ? std::optional(Explanation{best, share_of(best)}) : std::nullopt;
}

/// What the cause leaves open.
std::string rest_text(double share) {
  constexpr double nearly_all = 0.8;
  return share >= nearly_all
             ? ""
             : fmt::format(": {:.0f} % of the difference; the rest is unexplained", 100 * share);
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
  if (of_slower.us <= of_faster.us) return {};
  const TimedRung& upper = slower.rung.number > faster.rung.number ? slower : faster;
  const auto found = explanation_of(of_slower, of_faster, upper.rung.idea);
  if (!found || !explains(of_slower, slower.row.median_us) ||
      !explains(of_faster, faster.row.median_us))
    return {};
  const Cause cause = found->cause;
  return fmt::format(
      "{} ({}): {}. By kata's estimate this costs it {}, and the faster one {}{}", to_string(cause),
      meaning_of(cause), evidence_of(cause, before, cost, *chip),
      time_text(of_slower.cost_us(cause)),
      of_faster.gain(cause) < worth_telling ? "nothing" : time_text(of_faster.cost_us(cause)),
      rest_text(found->share));
}

std::string what_changes(const Problem& problem, const TimedSize& size, const TimedRung& from,
                         const TimedRung& to) {
  const auto launches = launches_of(problem, size, from, to);
  return launches ? changes_text(launches->first, launches->second) : "";
}

}  // namespace kata::drill
