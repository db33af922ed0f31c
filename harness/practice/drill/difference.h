#pragma once
// Why one rung is faster than another, by the counters of both.

#include <string>

#include "practice/drill/timed_ladder.h"

namespace kata::drill {

/// "uncoalesced (...): 67.1M store sectors, where ...": what costs the slower one most of the time
/// that the other saves; empty where the counters are not kept or do not explain the times.
std::string what_differs(const Problem& problem, const TimedSize& size, const TimedRung& slower,
                         const TimedRung& faster);

/// How the counters of two rungs differ: "load sectors 8.4M -> 2.1M"; empty where they are not
/// kept.
std::string what_changes(const Problem& problem, const TimedSize& size, const TimedRung& from,
                         const TimedRung& to);

}  // namespace kata::drill
