#pragma once
// "Which": two rungs of one ladder at one size. The person says which is faster and by what factor;
// the measured times say who is right.

#include "practice/drill/item.h"

namespace kata::drill {

/// The topic of what takes no longer than a launch; others are named after their limit.
inline constexpr const char* small_topic = "small";

/// Pairs whose order the times show, and pairs that are equally fast. An Error for an operator
/// without times.
Result<std::vector<Offer>> which_offers(const std::string& operator_name);

Result<std::unique_ptr<Item>> make_which(const Offer& offer);

}  // namespace kata::drill
