#pragma once
// "Why": a rung's counters and measured time. The person says what makes it slow, which change
// comes next, and what that gains.

#include "practice/drill/item.h"
#include "practice/drill/timed_ladder.h"

namespace kata::drill {

/// Rungs with a measured time, kept counters that account for it, one cause that stands out, and a
/// faster rung above that is about it. An Error says why an operator has none.
Result<std::vector<Offer>> why_offers(const std::string& operator_name);

Result<std::unique_ptr<Item>> make_why(const Offer& offer);

}  // namespace kata::drill
