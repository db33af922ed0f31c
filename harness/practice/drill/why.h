#pragma once
// "Why": a rung's counters and measured time. The person says what makes it slow, which change
// comes next, and what that gains.

#include "practice/drill/item.h"
#include "practice/drill/timed_ladder.h"

namespace kata::drill {

/// What costs a rung most, in a sentence; empty where that cannot be computed.
std::string what_costs_most(const Problem& problem, const TimedSize& size, const TimedRung& rung);

/// How the counters of two rungs differ: "load sectors 8.4M -> 2.1M"; empty where they are not
/// kept.
std::string what_changes(const Problem& problem, const TimedSize& size, const TimedRung& from,
                         const TimedRung& to);

/// Rungs with a measured time, kept counters that account for it, one cause that stands out, and a
/// faster rung above. An Error for an operator without times.
Result<std::vector<Offer>> why_offers(const std::string& operator_name);

Result<std::unique_ptr<Item>> make_why(const Offer& offer);

}  // namespace kata::drill
