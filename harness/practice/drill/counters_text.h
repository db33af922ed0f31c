#pragma once
// Counters of a call's launches under ncu's own names.

#include <string>
#include <vector>

#include "practice/drill/cause.h"
#include "timing/estimate.h"

namespace kata::drill {

/// Of the launch that takes longest; how many others there are.
std::string counters_text(const std::vector<LaunchProfile>& launches, const Cost& cost,
                          const Chip& chip);

/// "32 blocks for 132 multiprocessors": the numbers that show a cause, of the launch that takes
/// longest or of the whole call.
std::string evidence_of(Cause cause, const std::vector<LaunchProfile>& launches, const Cost& cost,
                        const Chip& chip);

/// "load sectors 8.4M -> 2.1M": what another kernel has noticeably more or less of; empty if it was
/// not profiled.
std::string changes_text(const std::vector<LaunchProfile>& before,
                         const std::vector<LaunchProfile>& after);

}  // namespace kata::drill
