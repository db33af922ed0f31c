#pragma once
// Changes that would not make a kernel faster, and why: what `why` offers beside the right one.

#include <string>
#include <vector>

#include "practice/drill/cause.h"
#include "practice/drill/draw.h"
#include "practice/drill/timed_ladder.h"

namespace kata::drill {

struct WrongChange {
  std::string idea;     ///< of a rung
  std::string why_not;  ///< "slower here: 12 us"
};

/// At most `most`: what the rung has already or what is slower at this size, then ideas of other
/// ladders, in words that are not theirs alone and not those of the right change, `next`. By
/// counters, those save there what costs nothing here.
std::vector<WrongChange> wrong_changes(const Problem& problem, const TimedSize& size,
                                       const TimedRung& rung, const std::string& next,
                                       const Causes& causes, Draw& draw, std::size_t most);

}  // namespace kata::drill
