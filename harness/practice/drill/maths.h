#pragma once
// "Maths": generated questions whose answer is a number. The truth comes from the code that kata
// uses elsewhere, or is counted in the emulator.

#include "practice/drill/item.h"

namespace kata::drill {

/// Of every family; for an operator those that are about it.
std::vector<Offer> maths_offers(const std::string& operator_name);

/// "sectors of a load" for "stride".
std::string words_of_family(const std::string& name);

Result<std::unique_ptr<Item>> make_maths(const Offer& offer);

}  // namespace kata::drill
