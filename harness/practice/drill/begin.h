#pragma once
// A drill that begins, or goes on.

#include <cstdint>

#include "practice/drill/record.h"

namespace kata::drill {

/// The first of the offers whose truth can be computed, in the order to ask them. Sets the state's
/// offer, and the file that must be read first.
Result<std::unique_ptr<Item>> begin(std::vector<Offer> offers, const History& history,
                                    std::uint32_t seed, State& state);

/// The item of a drill that was left; its clock goes on. A drill whose item cannot be asked any
/// more, as its kernel has changed, is closed.
Result<std::unique_ptr<Item>> resume(Record& record);

}  // namespace kata::drill
